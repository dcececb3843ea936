import { type InLanguages, inLanguages } from './languages.ts';

/** `statement` stands in a document below a heading with the subject's name; `question` asks for it in other words. */
export type Wording = { label: string; statement: string; question: string };

/** Something that is known of each subject of a group. `value` makes the answer, the same in every language. */
export type Topic = { value: (random: () => number) => string; wording: InLanguages<Wording> };

export type Group = {
  name: string;
  title: InLanguages<string>;
  subjects: InLanguages<string>[];
  topics: Topic[];
};

const number = (least: number, most: number) => (random: () => number) =>
  String(least + Math.floor(random() * (most - least + 1)));
const hour = (from: number) => (random: () => number) =>
  `${String(from + Math.floor(random() * 3)).padStart(2, '0')}:${String(5 + 5 * Math.floor(random() * 11)).padStart(2, '0')}`;
const code = (letters: string) => (random: () => number) => `${letters}-${1000 + Math.floor(random() * 9000)}`;
const date = (random: () => number) =>
  `2027-${String(1 + Math.floor(random() * 12)).padStart(2, '0')}-${String(1 + Math.floor(random() * 28)).padStart(2, '0')}`;
const FIRST = [
  'Ilse',
  'Marek',
  'Odile',
  'Tomas',
  'Brigit',
  'Anselm',
  'Livia',
  'Joost',
  'Carmela',
  'Edwin',
  'Noor',
  'Rafael',
];
const LAST = [
  'Torvald',
  'Quintard',
  'Bellori',
  'Vandersluis',
  'Okonjo',
  'Freihart',
  'Lamassa',
  'Pereduin',
  'Stavelot',
  'Hagström',
];
const person = (random: () => number) =>
  `${FIRST[Math.floor(random() * FIRST.length)]} ${LAST[Math.floor(random() * LAST.length)]}`;

function topic(value: Topic['value'], ...rows: [label: string, statement: string, question: string][]): Topic {
  const wordings = rows.map(([label, statement, question]) => ({ label, statement, question }));
  return { value, wording: inLanguages(...(wordings as Parameters<typeof inLanguages<Wording>>)) };
}

const everywhere = (names: string[]) => names.map((name) => inLanguages(name, name, name, name, name, name));

const sites: Group = {
  name: 'site',
  title: inLanguages(
    'Site handbook',
    'Standorthandbuch',
    'Guide du site',
    'Manual de la sede',
    'Manuale della sede',
    'Handboek van de vestiging',
  ),
  subjects: everywhere([
    'Brunhaven',
    'Castelmar',
    'Delvoort',
    'Eschwald',
    'Fontrive',
    'Gallasco',
    'Hallmere',
    'Isobrunn',
    'Jorvanta',
    'Kestrelby',
    'Lumarno',
    'Montelava',
  ]),
  topics: [
    topic(
      hour(5),
      [
        'Loading bay',
        'The loading bay takes lorries from {v} onwards.',
        'From what hour can a driver hand over freight in {e}?',
      ],
      [
        'Laderampe',
        'An der Laderampe werden Lastwagen ab {v} Uhr abgefertigt.',
        'Wann darf ein Fahrer in {e} frühestens Fracht abgeben?',
      ],
      [
        'Quai de chargement',
        'Le quai de chargement accueille les camions à partir de {v}.',
        'À quelle heure un chauffeur peut-il déposer du fret à {e} au plus tôt ?',
      ],
      [
        'Muelle de carga',
        'El muelle de carga atiende a los camiones desde las {v}.',
        '¿A partir de qué hora puede un conductor entregar mercancía en {e}?',
      ],
      [
        'Banchina di carico',
        'La banchina di carico riceve gli autocarri dalle {v}.',
        'Da che ora un autista può consegnare la merce a {e}?',
      ],
      [
        'Laadperron',
        'Bij het laadperron worden vrachtwagens vanaf {v} uur geholpen.',
        'Hoe laat mag een chauffeur in {e} op zijn vroegst goederen afleveren?',
      ],
    ),
    topic(
      number(40, 390),
      [
        'Parking',
        'There is room for {v} cars behind the main hall.',
        'How many employees can leave their vehicle at the {e} premises?',
      ],
      [
        'Stellplätze',
        'Hinter der Haupthalle ist Platz für {v} Autos.',
        'Wie viele Beschäftigte können in {e} ihren Wagen abstellen?',
      ],
      [
        'Parking',
        'Derrière le hall principal, {v} voitures trouvent place.',
        'Combien de salariés peuvent garer leur véhicule à {e} ?',
      ],
      [
        'Aparcamiento',
        'Detrás de la nave principal caben {v} coches.',
        '¿Cuántos empleados pueden estacionar su vehículo en {e}?',
      ],
      [
        'Parcheggio',
        'Dietro il capannone principale c’è posto per {v} auto.',
        'Quanti dipendenti possono lasciare il proprio veicolo a {e}?',
      ],
      [
        'Parkeren',
        'Achter de grote hal is ruimte voor {v} auto’s.',
        'Hoeveel medewerkers kunnen in {e} hun wagen kwijt?',
      ],
    ),
    topic(
      number(2100, 8900),
      [
        'First aid',
        'In an emergency the nurse answers on extension {v}.',
        'Whom do I ring in {e} when somebody is hurt?',
      ],
      [
        'Erste Hilfe',
        'Im Notfall ist die Sanitäterin unter der Durchwahl {v} zu erreichen.',
        'Welche Nummer wähle ich in {e}, wenn sich jemand verletzt hat?',
      ],
      [
        'Premiers secours',
        'En cas d’urgence, l’infirmière répond au poste {v}.',
        'Qui appeler à {e} lorsqu’une personne est blessée ?',
      ],
      [
        'Primeros auxilios',
        'En una emergencia, la enfermera atiende en la extensión {v}.',
        '¿A qué número llamo en {e} si alguien se hace daño?',
      ],
      [
        'Primo soccorso',
        'In caso di emergenza l’infermiera risponde all’interno {v}.',
        'Chi devo chiamare a {e} se qualcuno si fa male?',
      ],
      [
        'EHBO',
        'In noodgevallen is de verpleegkundige bereikbaar op toestel {v}.',
        'Welk nummer bel ik in {e} als iemand gewond raakt?',
      ],
    ),
    topic(
      person,
      ['Head of site', 'The site is led by {v}.', 'Who is in charge at {e}?'],
      ['Leitung', 'Die Leitung des Standorts hat {v}.', 'Wer ist in {e} der Chef?'],
      ['Direction', 'La direction du site est assurée par {v}.', 'Qui est le responsable à {e} ?'],
      ['Dirección', 'La sede está dirigida por {v}.', '¿Quién es el jefe en {e}?'],
      ['Direzione', 'La sede è diretta da {v}.', 'Chi è il capo a {e}?'],
      ['Leiding', 'De vestiging staat onder leiding van {v}.', 'Wie is de baas in {e}?'],
    ),
    topic(
      number(1911, 2019),
      ['Founded', 'The first building was put up in {v}.', 'How old is the plant in {e}?'],
      ['Gründung', 'Das erste Gebäude wurde {v} errichtet.', 'Seit wann gibt es das Werk in {e}?'],
      ['Fondation', 'Le premier bâtiment a été construit en {v}.', 'Depuis quand l’usine de {e} existe-t-elle ?'],
      ['Fundación', 'El primer edificio se levantó en {v}.', '¿Desde cuándo existe la planta de {e}?'],
      ['Fondazione', 'Il primo edificio fu costruito nel {v}.', 'Da quando esiste lo stabilimento di {e}?'],
      ['Oprichting', 'Het eerste gebouw werd in {v} neergezet.', 'Sinds wanneer bestaat de fabriek in {e}?'],
    ),
    topic(
      number(5, 14),
      ['Lunch', 'A warm meal in the canteen costs {v} euros.', 'What do I pay to eat at noon in {e}?'],
      [
        'Mittagessen',
        'Ein warmes Gericht in der Kantine kostet {v} Euro.',
        'Was zahle ich in {e}, um mittags zu essen?',
      ],
      ['Déjeuner', 'Un plat chaud à la cantine coûte {v} euros.', 'Combien me revient un repas de midi à {e} ?'],
      ['Almuerzo', 'Un plato caliente en el comedor cuesta {v} euros.', '¿Cuánto pago por comer al mediodía en {e}?'],
      ['Pranzo', 'Un piatto caldo in mensa costa {v} euro.', 'Quanto spendo per mangiare a mezzogiorno a {e}?'],
      ['Lunch', 'Een warme maaltijd in de kantine kost {v} euro.', 'Wat betaal ik om ’s middags te eten in {e}?'],
    ),
  ],
};

const products: Group = {
  name: 'product',
  title: inLanguages('Data sheet', 'Datenblatt', 'Fiche technique', 'Ficha técnica', 'Scheda tecnica', 'Gegevensblad'),
  subjects: everywhere([
    'Aster 30',
    'Boreas 41',
    'Corvina 12',
    'Dorade 7',
    'Estran 55',
    'Fulmar 9',
    'Goliard 80',
    'Halcyon 24',
    'Isatis 16',
    'Jusant 63',
    'Kelpie 5',
    'Limnos 38',
  ]),
  topics: [
    topic(
      number(14, 96),
      [
        'Battery',
        'One set of batteries lasts {v} months.',
        'How long does the {e} run before its cells must be changed?',
      ],
      ['Batterie', 'Ein Satz Batterien hält {v} Monate.', 'Wie lange läuft das {e}, bis neue Zellen fällig sind?'],
      [
        'Piles',
        'Un jeu de piles dure {v} mois.',
        'Combien de temps l’{e} fonctionne-t-il avant qu’il faille changer l’alimentation ?',
      ],
      ['Pilas', 'Un juego de pilas dura {v} meses.', '¿Cuánto tiempo funciona el {e} sin cambiar la alimentación?'],
      [
        'Batterie',
        'Un set di batterie dura {v} mesi.',
        'Per quanto tempo funziona l’{e} prima di sostituire l’alimentazione?',
      ],
      [
        'Batterijen',
        'Een set batterijen gaat {v} maanden mee.',
        'Hoe lang werkt de {e} voordat de cellen vervangen moeten worden?',
      ],
    ),
    topic(
      number(18, 640),
      [
        'Depth',
        'The housing stays tight down to {v} metres under water.',
        'How far below the surface may the {e} be lowered?',
      ],
      [
        'Tiefe',
        'Das Gehäuse bleibt bis {v} Meter unter Wasser dicht.',
        'Wie weit darf man das {e} ins Meer hinablassen?',
      ],
      ['Profondeur', 'Le boîtier reste étanche jusqu’à {v} mètres sous l’eau.', 'Jusqu’où peut-on immerger l’{e} ?'],
      ['Profundidad', 'La carcasa es estanca hasta {v} metros bajo el agua.', '¿Hasta dónde se puede sumergir el {e}?'],
      ['Profondità', 'La custodia resta stagna fino a {v} metri sott’acqua.', 'Fin dove si può immergere l’{e}?'],
      ['Diepte', 'De behuizing blijft tot {v} meter onder water dicht.', 'Hoe ver mag de {e} in zee zakken?'],
    ),
    topic(
      number(3, 48),
      ['Weight', 'Without its bracket the device weighs {v} kilograms.', 'How heavy is the {e}?'],
      ['Gewicht', 'Ohne Halterung wiegt das Gerät {v} Kilogramm.', 'Wie schwer ist das {e}?'],
      [
        'Poids',
        'Sans son support, l’appareil pèse {v} kilogrammes.',
        'Quelle masse faut-il porter pour installer l’{e} ?',
      ],
      [
        'Peso',
        'Sin su soporte, el aparato pesa {v} kilogramos.',
        '¿Cuántos kilos hay que cargar para instalar el {e}?',
      ],
      [
        'Peso',
        'Senza la staffa l’apparecchio pesa {v} chilogrammi.',
        'Quanti chili bisogna portare per installare l’{e}?',
      ],
      ['Gewicht', 'Zonder beugel weegt het apparaat {v} kilogram.', 'Hoe zwaar is de {e}?'],
    ),
    topic(
      number(2, 12),
      ['Warranty', 'We repair faults free of charge for {v} years.', 'What is the guarantee on the {e}?'],
      ['Garantie', 'Mängel beheben wir {v} Jahre lang kostenlos.', 'Welche Gewährleistung gilt für das {e}?'],
      [
        'Garantie',
        'Nous réparons les défauts gratuitement pendant {v} ans.',
        'Quelle est la couverture après l’achat de l’{e} ?',
      ],
      [
        'Garantía',
        'Reparamos los defectos sin coste durante {v} años.',
        '¿Qué cobertura hay después de comprar el {e}?',
      ],
      ['Garanzia', 'Ripariamo i guasti gratuitamente per {v} anni.', 'Quale copertura c’è dopo l’acquisto dell’{e}?'],
      ['Garantie', 'Gebreken herstellen wij {v} jaar lang gratis.', 'Welke waarborg krijg ik op de {e}?'],
    ),
    topic(
      number(6, 70),
      [
        'Calibration',
        'It has to be calibrated every {v} weeks.',
        'How often must the readings of the {e} be checked against a reference?',
      ],
      [
        'Kalibrierung',
        'Es muss alle {v} Wochen kalibriert werden.',
        'Wie oft sind die Messwerte des {e} mit einer Referenz zu vergleichen?',
      ],
      [
        'Étalonnage',
        'Il doit être étalonné toutes les {v} semaines.',
        'À quel rythme faut-il comparer les mesures de l’{e} à une référence ?',
      ],
      [
        'Calibración',
        'Debe calibrarse cada {v} semanas.',
        '¿Con qué frecuencia hay que comparar las medidas del {e} con una referencia?',
      ],
      [
        'Taratura',
        'Va tarato ogni {v} settimane.',
        'Con quale frequenza si confrontano le misure dell’{e} con un riferimento?',
      ],
      [
        'Kalibratie',
        'Het moet om de {v} weken gekalibreerd worden.',
        'Hoe vaak moeten de metingen van de {e} met een referentie vergeleken worden?',
      ],
    ),
    topic(
      code('ZK'),
      ['Seal', 'The spare seal has the order number {v}.', 'Which gasket do I have to buy for the {e}?'],
      ['Dichtung', 'Die Ersatzdichtung hat die Bestellnummer {v}.', 'Welchen Gummiring muss ich für das {e} kaufen?'],
      [
        'Joint',
        'Le joint de rechange porte la référence {v}.',
        'Quelle rondelle de caoutchouc faut-il commander pour l’{e} ?',
      ],
      ['Junta', 'La junta de repuesto lleva la referencia {v}.', '¿Qué goma tengo que comprar para el {e}?'],
      ['Guarnizione', 'La guarnizione di ricambio ha il codice {v}.', 'Quale anello di gomma devo comprare per l’{e}?'],
      ['Pakking', 'De reservepakking heeft bestelnummer {v}.', 'Welke rubberen ring moet ik voor de {e} kopen?'],
    ),
  ],
};

const departments: Group = {
  name: 'department',
  title: inLanguages(
    'Rules of work',
    'Arbeitsregeln',
    'Règles de travail',
    'Normas de trabajo',
    'Regole di lavoro',
    'Werkregels',
  ),
  subjects: [
    inLanguages('Accounting', 'Buchhaltung', 'Comptabilité', 'Contabilidad', 'Contabilità', 'Boekhouding'),
    inLanguages('Sales', 'Vertrieb', 'Ventes', 'Ventas', 'Vendite', 'Verkoop'),
    inLanguages('Workshop', 'Werkstatt', 'Atelier', 'Taller', 'Officina', 'Werkplaats'),
    inLanguages('Laboratory', 'Labor', 'Laboratoire', 'Laboratorio', 'Laboratorio', 'Laboratorium'),
    inLanguages('Shipping', 'Versand', 'Expédition', 'Expediciones', 'Spedizioni', 'Verzending'),
    inLanguages(
      'Customer support',
      'Kundendienst',
      'Service client',
      'Atención al cliente',
      'Assistenza clienti',
      'Klantenservice',
    ),
    inLanguages(
      'Legal',
      'Rechtsabteilung',
      'Service juridique',
      'Asesoría jurídica',
      'Ufficio legale',
      'Juridische afdeling',
    ),
    inLanguages(
      'Field service',
      'Außendienst',
      'Service de terrain',
      'Servicio de campo',
      'Servizio esterno',
      'Buitendienst',
    ),
    inLanguages('Purchasing', 'Einkauf', 'Achats', 'Compras', 'Acquisti', 'Inkoop'),
    inLanguages('Training', 'Schulung', 'Formation', 'Formación', 'Formazione', 'Opleiding'),
    inLanguages('Advertising', 'Werbung', 'Publicité', 'Publicidad', 'Pubblicità', 'Reclame'),
    inLanguages(
      'Software development',
      'Softwareentwicklung',
      'Développement logiciel',
      'Desarrollo de software',
      'Sviluppo software',
      'Softwareontwikkeling',
    ),
  ],
  topics: [
    topic(
      number(25, 39),
      ['Holidays', 'Everyone is granted {v} days of paid leave a year.', 'How much vacation do people in {e} get?'],
      [
        'Urlaub',
        'Allen stehen im Jahr {v} bezahlte freie Tage zu.',
        'Wie viel Urlaub bekommt man in der Abteilung {e}?',
      ],
      ['Congés', 'Chacun dispose de {v} jours de repos payés par an.', 'Combien de vacances a-t-on au service {e} ?'],
      [
        'Vacaciones',
        'A cada persona le corresponden {v} días libres pagados al año.',
        '¿Cuántas vacaciones tiene la gente de {e}?',
      ],
      [
        'Ferie',
        'A ciascuno spettano {v} giorni di riposo pagati all’anno.',
        'Quante vacanze hanno le persone del reparto {e}?',
      ],
      ['Verlof', 'Iedereen krijgt per jaar {v} betaalde vrije dagen.', 'Hoeveel vakantie heeft men bij {e}?'],
    ),
    topic(
      number(22, 98),
      [
        'Travel',
        'On a business trip {v} euros a day are refunded for meals.',
        'What does the firm pay for food when {e} is on the road?',
      ],
      [
        'Reisen',
        'Auf Dienstreisen werden {v} Euro am Tag für Verpflegung erstattet.',
        'Was zahlt die Firma für Essen, wenn {e} unterwegs ist?',
      ],
      [
        'Déplacements',
        'En mission, {v} euros par jour sont remboursés pour les repas.',
        'Que verse l’entreprise pour manger quand {e} voyage ?',
      ],
      [
        'Viajes',
        'En viaje de trabajo se reembolsan {v} euros diarios para comidas.',
        '¿Qué paga la empresa por comer cuando {e} sale de viaje?',
      ],
      [
        'Trasferte',
        'In trasferta si rimborsano {v} euro al giorno per i pasti.',
        'Che cosa paga la ditta per mangiare quando {e} è in viaggio?',
      ],
      [
        'Reizen',
        'Op zakenreis wordt {v} euro per dag voor maaltijden vergoed.',
        'Wat betaalt het bedrijf voor eten als {e} onderweg is?',
      ],
    ),
    topic(
      number(3, 26),
      [
        'Notice',
        'Whoever leaves gives notice {v} weeks ahead.',
        'How early must someone in {e} announce that they quit?',
      ],
      [
        'Kündigung',
        'Wer geht, kündigt {v} Wochen vorher.',
        'Wie früh muss man in der Abteilung {e} sagen, dass man die Stelle aufgibt?',
      ],
      [
        'Préavis',
        'Qui part donne son préavis {v} semaines à l’avance.',
        'Combien de temps avant faut-il annoncer sa démission au service {e} ?',
      ],
      [
        'Preaviso',
        'Quien se va avisa con {v} semanas de antelación.',
        '¿Con cuánto tiempo hay que anunciar la renuncia en {e}?',
      ],
      [
        'Preavviso',
        'Chi se ne va dà il preavviso {v} settimane prima.',
        'Con quanto anticipo bisogna annunciare le dimissioni nel reparto {e}?',
      ],
      [
        'Opzegging',
        'Wie vertrekt, zegt {v} weken van tevoren op.',
        'Hoe vroeg moet iemand bij {e} melden dat hij ontslag neemt?',
      ],
    ),
    topic(
      number(150, 9800),
      [
        'Purchases',
        'Orders above {v} euros need a second signature.',
        'Up to which amount may one spend alone in {e}?',
      ],
      [
        'Bestellungen',
        'Bestellungen über {v} Euro brauchen eine zweite Unterschrift.',
        'Bis zu welcher Summe darf man in der Abteilung {e} allein Geld ausgeben?',
      ],
      [
        'Commandes',
        'Les commandes de plus de {v} euros exigent une seconde signature.',
        'Jusqu’à quelle somme peut-on dépenser seul au service {e} ?',
      ],
      [
        'Pedidos',
        'Los pedidos de más de {v} euros requieren una segunda firma.',
        '¿Hasta qué importe se puede gastar sin permiso en {e}?',
      ],
      [
        'Ordini',
        'Gli ordini oltre {v} euro richiedono una seconda firma.',
        'Fino a quale somma si può spendere da soli nel reparto {e}?',
      ],
      [
        'Bestellingen',
        'Bestellingen boven {v} euro vragen een tweede handtekening.',
        'Tot welk bedrag mag men bij {e} alleen geld uitgeven?',
      ],
    ),
    topic(
      person,
      ['Sick leave', 'Medical certificates go to {v}.', 'Who must be told when I am ill and work in {e}?'],
      ['Krankmeldung', 'Atteste gehen an {v}.', 'Bei wem melde ich mich in der Abteilung {e} krank?'],
      [
        'Maladie',
        'Les arrêts sont à remettre à {v}.',
        'Qui dois-je prévenir si je suis malade et travaille au service {e} ?',
      ],
      ['Baja', 'Los partes médicos se entregan a {v}.', '¿A quién aviso si estoy enfermo y trabajo en {e}?'],
      [
        'Malattia',
        'I certificati medici vanno consegnati a {v}.',
        'Chi devo avvisare se sto male e lavoro nel reparto {e}?',
      ],
      ['Ziekte', 'Doktersbriefjes gaan naar {v}.', 'Bij wie meld ik mij als ik ziek ben en bij {e} werk?'],
    ),
  ],
};

const projects: Group = {
  name: 'project',
  title: inLanguages(
    'Project report',
    'Projektbericht',
    'Rapport de projet',
    'Informe de proyecto',
    'Rapporto di progetto',
    'Projectverslag',
  ),
  subjects: everywhere([
    'Kingfisher',
    'Larkspur',
    'Meridian',
    'Nightjar',
    'Obsidian',
    'Pelican',
    'Quicksilver',
    'Rosewood',
    'Sandpiper',
    'Tamarind',
    'Umbra',
    'Vesper',
  ]),
  topics: [
    topic(
      date,
      ['Delivery', 'Everything has to be handed over by {v}.', 'When is {e} due?'],
      ['Lieferung', 'Alles muss bis zum {v} übergeben sein.', 'Wann läuft die Frist von {e} ab?'],
      ['Livraison', 'Tout doit être remis avant le {v}.', 'Quelle est l’échéance de {e} ?'],
      ['Entrega', 'Todo debe estar entregado antes del {v}.', '¿Cuándo vence el plazo de {e}?'],
      ['Consegna', 'Tutto va consegnato entro il {v}.', 'Quando scade {e}?'],
      ['Oplevering', 'Alles moet uiterlijk {v} overgedragen zijn.', 'Wanneer loopt de termijn van {e} af?'],
    ),
    topic(
      number(120, 980),
      ['Budget', 'The board has released {v} thousand euros.', 'How much money may {e} cost?'],
      ['Budget', 'Der Vorstand hat {v} Tausend Euro freigegeben.', 'Wie viel Geld darf {e} kosten?'],
      ['Budget', 'Le conseil a débloqué {v} mille euros.', 'Combien d’argent {e} peut-il coûter ?'],
      ['Presupuesto', 'El consejo ha liberado {v} mil euros.', '¿Cuánto dinero puede costar {e}?'],
      ['Bilancio', 'Il consiglio ha stanziato {v} mila euro.', 'Quanto denaro può costare {e}?'],
      ['Budget', 'Het bestuur heeft {v} duizend euro vrijgegeven.', 'Hoeveel geld mag {e} kosten?'],
    ),
    topic(
      person,
      ['Coordinator', 'The work is coordinated by {v}.', 'Who runs {e}?'],
      ['Koordination', 'Die Arbeiten koordiniert {v}.', 'Wer hat bei {e} das Sagen?'],
      ['Coordination', 'Les travaux sont coordonnés par {v}.', 'Qui pilote {e} ?'],
      ['Coordinación', 'Los trabajos los coordina {v}.', '¿Quién lleva {e}?'],
      ['Coordinamento', 'I lavori sono coordinati da {v}.', 'Chi guida {e}?'],
      ['Coördinatie', 'Het werk wordt gecoördineerd door {v}.', 'Wie trekt {e}?'],
    ),
    topic(
      (random) =>
        `${['Oltmann', 'Brisval', 'Tecnomar', 'Zeewijk', 'Graufels', 'Pontaro'][Math.floor(random() * 6)]} ${['AG', 'SA', 'BV', 'SpA'][Math.floor(random() * 4)]}`,
      ['Supplier', 'The steel frames are supplied by {v}.', 'Which company delivers the metal parts for {e}?'],
      ['Lieferant', 'Die Stahlrahmen liefert {v}.', 'Von welcher Firma kommen die Metallteile für {e}?'],
      [
        'Fournisseur',
        'Les cadres en acier sont fournis par {v}.',
        'De quelle entreprise viennent les pièces métalliques de {e} ?',
      ],
      [
        'Proveedor',
        'Los bastidores de acero los suministra {v}.',
        '¿De qué empresa vienen las piezas de metal de {e}?',
      ],
      ['Fornitore', 'I telai d’acciaio sono forniti da {v}.', 'Da quale azienda arrivano le parti in metallo di {e}?'],
      [
        'Leverancier',
        'De stalen frames worden geleverd door {v}.',
        'Van welk bedrijf komen de metalen onderdelen van {e}?',
      ],
    ),
    topic(
      number(4, 88),
      ['Defects', 'At the last inspection {v} defects were found.', 'How many faults did the examiners see in {e}?'],
      ['Mängel', 'Bei der letzten Abnahme wurden {v} Mängel gefunden.', 'Wie viele Fehler sahen die Prüfer bei {e}?'],
      [
        'Défauts',
        'Lors de la dernière inspection, {v} défauts ont été relevés.',
        'Combien d’anomalies les contrôleurs ont-ils vues sur {e} ?',
      ],
      ['Defectos', 'En la última inspección se hallaron {v} defectos.', '¿Cuántos fallos vieron los revisores en {e}?'],
      [
        'Difetti',
        'All’ultima ispezione sono stati trovati {v} difetti.',
        'Quanti errori hanno visto i controllori in {e}?',
      ],
      [
        'Gebreken',
        'Bij de laatste keuring zijn {v} gebreken gevonden.',
        'Hoeveel fouten zagen de keurmeesters bij {e}?',
      ],
    ),
  ],
};

export const GROUPS: Group[] = [sites, products, departments, projects];
