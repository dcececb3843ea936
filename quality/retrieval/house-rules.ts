import { type InLanguages, inLanguages } from './languages.ts';

/** Stands in one document only, without a name that a search for words could hold on to. */
export type HouseRule = { answer: string; wording: InLanguages<{ statement: string; question: string }> };

type Row = [statement: string, question: string];
function rule(answer: string, ...rows: [en: Row, de: Row, fr: Row, es: Row, it: Row, nl: Row]): HouseRule {
  const wordings = rows.map(([statement, question]) => ({ statement: statement.replace('{v}', answer), question }));
  return {
    answer,
    wording: inLanguages(...(wordings as Parameters<typeof inLanguages<{ statement: string; question: string }>>)),
  };
}

export const HOUSE_RULES: HouseRule[] = [
  rule(
    '11',
    ['Invoices are kept for {v} years before they are shredded.', 'When may old bills be thrown away?'],
    ['Rechnungen werden {v} Jahre aufbewahrt und danach vernichtet.', 'Wann dürfen alte Belege weggeworfen werden?'],
    ['Les factures sont conservées {v} ans avant d’être détruites.', 'Quand peut-on jeter les vieux justificatifs ?'],
    ['Las facturas se guardan {v} años antes de destruirse.', '¿Cuándo se pueden tirar los recibos viejos?'],
    [
      'Le fatture si conservano {v} anni prima di distruggerle.',
      'Quando si possono buttare i vecchi documenti di spesa?',
    ],
    ['Facturen worden {v} jaar bewaard en daarna versnipperd.', 'Wanneer mogen oude rekeningen weg?'],
  ),
  rule(
    'B17',
    ['If the fire alarm rings, everybody meets at lamp post {v}.', 'Where do we gather when it burns?'],
    ['Wenn der Feueralarm ertönt, treffen sich alle am Laternenmast {v}.', 'Wo sammeln wir uns, wenn es brennt?'],
    [
      'Si l’alarme incendie retentit, tout le monde se retrouve au lampadaire {v}.',
      'Où se rassembler s’il y a le feu ?',
    ],
    ['Si suena la alarma de incendios, todos se reúnen en la farola {v}.', '¿Dónde nos juntamos si hay fuego?'],
    ['Se suona l’allarme antincendio, tutti si trovano al lampione {v}.', 'Dove ci raduniamo se c’è un incendio?'],
    ['Als het brandalarm gaat, verzamelt iedereen bij lantaarnpaal {v}.', 'Waar komen we samen als er brand is?'],
  ),
  rule(
    '90',
    ['Passwords must be renewed every {v} days.', 'How often do I have to change my login secret?'],
    ['Kennwörter sind alle {v} Tage zu erneuern.', 'Wie oft muss ich meine Zugangsdaten ändern?'],
    [
      'Les mots de passe doivent être renouvelés tous les {v} jours.',
      'À quelle fréquence dois-je changer mon code d’accès ?',
    ],
    ['Las contraseñas se renuevan cada {v} días.', '¿Cada cuánto debo cambiar mi clave de acceso?'],
    ['Le password vanno rinnovate ogni {v} giorni.', 'Ogni quanto devo cambiare la mia chiave di accesso?'],
    ['Wachtwoorden moeten om de {v} dagen vernieuwd worden.', 'Hoe vaak moet ik mijn inloggegevens wijzigen?'],
  ),
  rule(
    '12',
    ['Dogs up to {v} kilograms may come to the office.', 'Can I bring my pet to work?'],
    ['Hunde bis {v} Kilogramm dürfen mit ins Büro.', 'Kann ich mein Haustier zur Arbeit mitnehmen?'],
    ['Les chiens jusqu’à {v} kilogrammes sont admis au bureau.', 'Puis-je venir au travail avec mon animal ?'],
    ['Se admiten perros de hasta {v} kilogramos en la oficina.', '¿Puedo llevar mi mascota al trabajo?'],
    ['In ufficio sono ammessi cani fino a {v} chilogrammi.', 'Posso portare il mio animale al lavoro?'],
    ['Honden tot {v} kilogram mogen mee naar kantoor.', 'Mag ik mijn huisdier meenemen naar het werk?'],
  ),
  rule(
    '640',
    ['New parents receive a present of {v} euros.', 'What does the company give when a baby is born?'],
    ['Frischgebackene Eltern erhalten ein Geschenk von {v} Euro.', 'Was schenkt die Firma zur Geburt eines Kindes?'],
    ['Les jeunes parents reçoivent un cadeau de {v} euros.', 'Qu’offre l’entreprise à la naissance d’un enfant ?'],
    ['Los nuevos padres reciben un regalo de {v} euros.', '¿Qué da la empresa cuando nace un bebé?'],
    ['I neogenitori ricevono un regalo di {v} euro.', 'Che cosa dona la ditta quando nasce un bambino?'],
    ['Kersverse ouders krijgen een geschenk van {v} euro.', 'Wat geeft het bedrijf als er een baby geboren wordt?'],
  ),
  rule(
    '03:20',
    ['The servers are backed up every night at {v}.', 'When are copies of our data made?'],
    ['Die Server werden jede Nacht um {v} gesichert.', 'Wann entstehen Kopien unserer Daten?'],
    ['Les serveurs sont sauvegardés chaque nuit à {v}.', 'Quand fait-on des copies de nos données ?'],
    ['Los servidores se respaldan cada noche a las {v}.', '¿Cuándo se hacen copias de nuestros datos?'],
    ['I server vengono salvati ogni notte alle {v}.', 'Quando si fanno le copie dei nostri dati?'],
    ['De servers worden elke nacht om {v} veiliggesteld.', 'Wanneer worden er kopieën van onze gegevens gemaakt?'],
  ),
  rule(
    '35',
    ['Whoever cycles to work is paid {v} cents per kilometre.', 'Is there money for coming by bike?'],
    ['Wer mit dem Rad kommt, erhält {v} Cent je Kilometer.', 'Gibt es Geld, wenn man auf dem Fahrrad anreist?'],
    ['Qui vient à vélo touche {v} centimes par kilomètre.', 'Y a-t-il une prime pour les cyclistes ?'],
    ['Quien viene en bicicleta cobra {v} céntimos por kilómetro.', '¿Hay dinero para los que pedalean al trabajo?'],
    ['Chi viene in bicicletta riceve {v} centesimi al chilometro.', 'Ci sono soldi per chi pedala fino al lavoro?'],
    [
      'Wie met de fiets komt, krijgt {v} cent per kilometer.',
      'Is er een vergoeding voor wie op de pedalen naar het werk rijdt?',
    ],
  ),
  rule(
    'K-208',
    ['Lost property is handed in at room {v}.', 'I have found an umbrella; where should I take it?'],
    ['Fundsachen werden in Zimmer {v} abgegeben.', 'Ich habe einen Schirm gefunden, wohin damit?'],
    ['Les objets trouvés sont à déposer au bureau {v}.', 'J’ai ramassé un parapluie, où le porter ?'],
    ['Los objetos perdidos se entregan en la sala {v}.', 'He encontrado un paraguas, ¿adónde lo llevo?'],
    ['Gli oggetti smarriti si consegnano nella stanza {v}.', 'Ho trovato un ombrello: dove lo porto?'],
    ['Gevonden voorwerpen worden in kamer {v} ingeleverd.', 'Ik heb een paraplu gevonden, waar breng ik die heen?'],
  ),
  rule(
    '15:00',
    ['Smoking is allowed only on the roof, and not after {v}.', 'Where and until when may I have a cigarette?'],
    ['Geraucht werden darf nur auf dem Dach und nicht nach {v}.', 'Wo und bis wann ist eine Zigarette erlaubt?'],
    [
      'Il n’est permis de fumer que sur le toit, et pas après {v}.',
      'Où et jusqu’à quand peut-on allumer une cigarette ?',
    ],
    [
      'Solo se puede fumar en la azotea, y no después de las {v}.',
      '¿Dónde y hasta cuándo puedo encender un cigarrillo?',
    ],
    ['Si può fumare solo sul tetto e non dopo le {v}.', 'Dove e fino a quando posso accendere una sigaretta?'],
    ['Roken mag alleen op het dak, en niet na {v}.', 'Waar en tot hoe laat mag ik een sigaret opsteken?'],
  ),
  rule(
    '72',
    ['Complaints from customers are answered within {v} hours.', 'How fast do we react to dissatisfied buyers?'],
    [
      'Beschwerden von Kunden werden innerhalb von {v} Stunden beantwortet.',
      'Wie schnell reagieren wir auf unzufriedene Käufer?',
    ],
    [
      'Les réclamations des clients reçoivent une réponse sous {v} heures.',
      'En combien de temps réagit-on aux acheteurs mécontents ?',
    ],
    [
      'Las quejas de los clientes se responden en {v} horas.',
      '¿Con qué rapidez reaccionamos ante compradores descontentos?',
    ],
    ['I reclami dei clienti ricevono risposta entro {v} ore.', 'In quanto tempo reagiamo agli acquirenti scontenti?'],
    ['Klachten van klanten worden binnen {v} uur beantwoord.', 'Hoe snel reageren wij op ontevreden kopers?'],
  ),
  rule(
    '58',
    [
      'The company has {v} percent of its shares in the hands of the founders’ families.',
      'Who owns most of the business?',
    ],
    ['{v} Prozent der Anteile liegen bei den Familien der Gründer.', 'Wem gehört der größte Teil des Unternehmens?'],
    [
      '{v} pour cent des parts sont détenues par les familles des fondateurs.',
      'À qui appartient la plus grande partie de l’entreprise ?',
    ],
    [
      'El {v} por ciento de las acciones está en manos de las familias fundadoras.',
      '¿A quién pertenece la mayor parte de la empresa?',
    ],
    [
      'Il {v} per cento delle quote è in mano alle famiglie dei fondatori.',
      'A chi appartiene la maggior parte dell’azienda?',
    ],
    [
      '{v} procent van de aandelen is in handen van de families van de oprichters.',
      'Van wie is het grootste deel van het bedrijf?',
    ],
  ),
  rule(
    '4,6',
    [
      'Electricity from our own solar panels covers {v} gigawatt hours a year.',
      'How much energy does the sun give us?',
    ],
    ['Strom aus eigenen Solaranlagen deckt {v} Gigawattstunden im Jahr.', 'Wie viel Energie liefert uns die Sonne?'],
    [
      'L’électricité de nos panneaux solaires couvre {v} gigawattheures par an.',
      'Combien d’énergie le soleil nous donne-t-il ?',
    ],
    ['La electricidad de nuestros paneles solares cubre {v} gigavatios hora al año.', '¿Cuánta energía nos da el sol?'],
    ['L’elettricità dei nostri pannelli solari copre {v} gigawattora all’anno.', 'Quanta energia ci dà il sole?'],
    ['Stroom uit eigen zonnepanelen dekt {v} gigawattuur per jaar.', 'Hoeveel energie levert de zon ons?'],
  ),
  rule(
    '19',
    ['In winter the offices are heated to {v} degrees.', 'How warm is it at the desks in the cold season?'],
    [
      'Im Winter werden die Büros auf {v} Grad geheizt.',
      'Wie warm ist es an den Schreibtischen in der kalten Jahreszeit?',
    ],
    [
      'En hiver, les bureaux sont chauffés à {v} degrés.',
      'Quelle température fait-il aux postes pendant la saison froide ?',
    ],
    [
      'En invierno las oficinas se calientan a {v} grados.',
      '¿Qué temperatura hay en los escritorios en la estación fría?',
    ],
    ['D’inverno gli uffici sono riscaldati a {v} gradi.', 'Che temperatura c’è alle scrivanie nella stagione fredda?'],
    [
      'In de winter worden de kantoren tot {v} graden verwarmd.',
      'Hoe warm is het aan de bureaus in het koude seizoen?',
    ],
  ),
  rule(
    'guest-lagoon-31',
    ['Visitors use the wireless network {v}.', 'How do outsiders get on the internet here?'],
    ['Besucher nutzen das Funknetz {v}.', 'Wie kommen Fremde hier ins Internet?'],
    [
      'Les visiteurs utilisent le réseau sans fil {v}.',
      'Comment les personnes extérieures se connectent-elles à internet ?',
    ],
    ['Los visitantes usan la red inalámbrica {v}.', '¿Cómo se conecta la gente de fuera a internet?'],
    ['I visitatori usano la rete senza fili {v}.', 'Come si collegano a internet gli esterni?'],
    ['Bezoekers gebruiken het draadloze netwerk {v}.', 'Hoe komen buitenstaanders hier op internet?'],
  ),
  rule(
    '6',
    ['An apprenticeship begins with {v} weeks at sea.', 'What do trainees do at the start?'],
    ['Eine Lehre beginnt mit {v} Wochen auf See.', 'Was machen Azubis am Anfang?'],
    ['Un apprentissage commence par {v} semaines en mer.', 'Que font les débutants pour commencer ?'],
    ['El aprendizaje empieza con {v} semanas en el mar.', '¿Qué hacen los principiantes al empezar?'],
    ['L’apprendistato comincia con {v} settimane in mare.', 'Che cosa fanno i nuovi allievi all’inizio?'],
    ['Een leertijd begint met {v} weken op zee.', 'Wat doen beginnelingen in het begin?'],
  ),
  rule(
    'Petra Noordwind',
    ['Journalists speak with {v} only.', 'Whom should the press contact?'],
    ['Journalisten wenden sich nur an {v}.', 'Wer spricht mit der Presse?'],
    ['Les journalistes s’adressent uniquement à {v}.', 'Qui parle à la presse ?'],
    ['Los periodistas hablan solo con {v}.', '¿Quién atiende a la prensa?'],
    ['I giornalisti parlano solo con {v}.', 'Chi risponde alla stampa?'],
    ['Journalisten spreken alleen met {v}.', 'Wie staat de pers te woord?'],
  ),
  rule(
    '25',
    ['After {v} years of service there is a watch made of silver.', 'How are loyal workers honoured?'],
    ['Nach {v} Dienstjahren gibt es eine Uhr aus Silber.', 'Wie werden treue Mitarbeiter geehrt?'],
    ['Après {v} ans de service, on reçoit une montre en argent.', 'Comment récompense-t-on les employés fidèles ?'],
    ['Tras {v} años de servicio se entrega un reloj de plata.', '¿Cómo se premia a los trabajadores fieles?'],
    ['Dopo {v} anni di servizio si riceve un orologio d’argento.', 'Come si premiano i lavoratori fedeli?'],
    ['Na {v} dienstjaren krijgt men een zilveren horloge.', 'Hoe worden trouwe werknemers geëerd?'],
  ),
  rule(
    '17',
    ['Drawings are stamped by the archive, which opens on {v} mornings a month.', 'When can I look at old plans?'],
    [
      'Zeichnungen stempelt das Archiv, das an {v} Vormittagen im Monat geöffnet ist.',
      'Wann kann ich alte Pläne einsehen?',
    ],
    [
      'Les dessins sont tamponnés par les archives, ouvertes {v} matinées par mois.',
      'Quand peut-on consulter les anciens plans ?',
    ],
    ['Los dibujos los sella el archivo, abierto {v} mañanas al mes.', '¿Cuándo puedo ver los planos antiguos?'],
    ['I disegni sono timbrati dall’archivio, aperto {v} mattine al mese.', 'Quando posso vedere i vecchi progetti?'],
    [
      'Tekeningen worden gestempeld door het archief, dat {v} ochtenden per maand open is.',
      'Wanneer kan ik oude plannen bekijken?',
    ],
  ),
  rule(
    '200',
    [
      'Private calls abroad cost the caller {v} cents a minute.',
      'Do I have to pay for ringing my family in another country?',
    ],
    [
      'Private Gespräche ins Ausland kosten {v} Cent je Minute.',
      'Muss ich zahlen, wenn ich meine Familie in einem anderen Land anrufe?',
    ],
    [
      'Les appels privés à l’étranger coûtent {v} centimes la minute.',
      'Dois-je payer pour téléphoner à ma famille dans un autre pays ?',
    ],
    [
      'Las llamadas privadas al extranjero cuestan {v} céntimos por minuto.',
      '¿Tengo que pagar por telefonear a mi familia en otro país?',
    ],
    [
      'Le chiamate private all’estero costano {v} centesimi al minuto.',
      'Devo pagare per telefonare alla mia famiglia in un altro paese?',
    ],
    [
      'Privégesprekken met het buitenland kosten {v} cent per minuut.',
      'Moet ik betalen om mijn familie in een ander land te bellen?',
    ],
  ),
  rule(
    '8',
    ['Forklifts go no faster than {v} kilometres an hour inside the halls.', 'What is the speed limit indoors?'],
    ['Gabelstapler fahren in den Hallen höchstens {v} Kilometer pro Stunde.', 'Welches Tempolimit gilt drinnen?'],
    [
      'Dans les halls, les chariots élévateurs ne dépassent pas {v} kilomètres à l’heure.',
      'Quelle est la vitesse maximale à l’intérieur ?',
    ],
    [
      'Dentro de las naves las carretillas no superan los {v} kilómetros por hora.',
      '¿Cuál es la velocidad máxima en el interior?',
    ],
    [
      'Nei capannoni i carrelli elevatori non superano gli {v} chilometri all’ora.',
      'Qual è la velocità massima all’interno?',
    ],
    ['Heftrucks rijden in de hallen hoogstens {v} kilometer per uur.', 'Hoe hard mag er binnen gereden worden?'],
  ),
];
