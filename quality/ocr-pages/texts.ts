/** What the pages say. Every letter is in the fonts that PDFium brings along. */
type Texts = {
  title: string;
  subtitle: string;
  points: string[];
  paragraphs: string[];
  invoice: { title: string; labels: string[]; items: [name: string, count: string, price: string][]; note: string };
  form: string[];
};

export const LANGUAGE_CODES = ['eng', 'deu', 'fra', 'spa', 'ita', 'nld'] as const;
export type LanguageCode = (typeof LANGUAGE_CODES)[number];

export const TEXTS: Record<LanguageCode, Texts> = {
  eng: {
    title: 'The Winter Harbour',
    subtitle: 'Results of the third quarter',
    points: [
      'Traffic grew by 12 percent over last year',
      'Two new cranes were delivered in August',
      'Costs of energy fell below the plan',
      'The next review takes place on 14 January',
    ],
    paragraphs: [
      'The harbour froze in the winter of 1987, for the first time in forty years, and seventeen ships had to wait outside the breakwater until the ice was cut by hand.',
      'A committee of seven met every Tuesday to weigh the cost of each bridge. Nobody expected the old clock to strike thirteen, yet it did so twice before the vote was taken.',
      'Fresh bread was carried across the frozen bay on sledges, while quick messengers brought letters, medicine and news from the villages further up the coast.',
      'When spring came, the keeper of the lighthouse counted the losses: three anchors, a jetty, and most of the rope that had been stored under the northern quay.',
    ],
    invoice: {
      title: 'Invoice 4711',
      labels: ['Description', 'Quantity', 'Amount', 'Total due', 'Date: 3 March 2025', 'Payable within 30 days'],
      items: [
        ['Repair of the main pump', '1', '420.00'],
        ['Copper pipe, 22 mm', '12', '96.60'],
        ['Travel and expenses', '2', '58.40'],
      ],
      note: 'Thank you for your business. Please quote the number of this invoice with your payment.',
    },
    form: ['Surname', 'First name', 'Street and number', 'Postcode and town', 'Telephone', 'Date of birth'],
  },
  deu: {
    title: 'Größe und Gewicht',
    subtitle: 'Ergebnisse des dritten Quartals',
    points: [
      'Der Verkehr wuchs um 12 Prozent gegenüber dem Vorjahr',
      'Zwei neue Kräne wurden im August geliefert',
      'Die Kosten für Öl lagen unter dem Plan',
      'Die nächste Prüfung findet am 14. Januar statt',
    ],
    paragraphs: [
      'Im Winter des Jahres 1987 fror der Hafen zum ersten Mal seit vierzig Jahren zu, und siebzehn Schiffe mussten draußen warten, bis das Eis aufgesägt war.',
      'Ein Ausschuss von sieben Leuten prüfte jeden Dienstag, was die Brücken kosten würden. Niemand hätte gedacht, dass die alte Uhr dreizehn schlägt.',
      'Frisches Brot wurde auf Schlitten über die Bucht gezogen, während schnelle Boten Briefe, Arznei und Neuigkeiten aus den Dörfern an der Küste brachten.',
      'Als der Frühling kam, zählte der Wärter die Verluste: drei Anker, einen Steg und den größten Teil der Seile, die unter dem Kai gelegen hatten.',
    ],
    invoice: {
      title: 'Rechnung 2039',
      labels: ['Bezeichnung', 'Menge', 'Betrag', 'Gesamtbetrag', 'Datum: 3. März 2025', 'Zahlbar in 30 Tagen'],
      items: [
        ['Prüfung der Heizung', '1', '180,00'],
        ['Dichtung für Röhren', '8', '24,80'],
        ['Anfahrt über Land', '2', '61,50'],
      ],
      note: 'Vielen Dank für Ihren Auftrag. Bitte geben Sie bei der Zahlung die Nummer der Rechnung an.',
    },
    form: ['Name', 'Vorname', 'Straße und Hausnummer', 'Postleitzahl und Ort', 'Telefon', 'Geburtsdatum'],
  },
  fra: {
    title: 'Le port en hiver',
    subtitle: 'Résultats du troisième trimestre',
    points: [
      'Le trafic a augmenté de 12 pour cent en un an',
      'Deux nouvelles grues ont été livrées en août',
      'Le coût de la forêt reste inférieur au budget',
      'La prochaine réunion aura lieu le 14 janvier',
    ],
    paragraphs: [
      'Pendant la nuit la rivière a gelé pour la première fois depuis quarante ans, et dix navires ont dû attendre devant la jetée que la glace soit coupée.',
      'Un comité de sept personnes se réunissait chaque mardi pour évaluer le prix des ponts. Personne ne pensait que la vieille horloge sonnerait treize fois.',
      'Le pain frais traversait la baie sur des traîneaux, tandis que des messagers rapides apportaient des lettres, des remèdes et des nouvelles des villages.',
      'Au printemps, le gardien du phare a compté les pertes : trois ancres, un ponton et presque toutes les cordes rangées sous le quai du nord.',
    ],
    invoice: {
      title: 'Facture 3158',
      labels: ['Désignation', 'Quantité', 'Montant', 'Total à payer', 'Date : 3 mars 2025', 'Payable sous 30 jours'],
      items: [
        ['Réparation de la pompe', '1', '310,00'],
        ['Tuyau en cuivre', '6', '72,30'],
        ['Déplacement et frais', '2', '45,90'],
      ],
      note: 'Nous vous remercions de votre confiance. Merci de rappeler le numéro de la facture.',
    },
    form: ['Nom', 'Prénom', 'Adresse complète', 'Code postal et ville', 'Téléphone', 'Date de naissance'],
  },
  spa: {
    title: 'El puerto en invierno',
    subtitle: 'Resultados del tercer trimestre',
    points: [
      'El tráfico creció un 12 por ciento este año',
      'Dos grúas nuevas llegaron en agosto',
      'El coste de la energía bajó más de lo previsto',
      'La próxima revisión será el 14 de enero',
    ],
    paragraphs: [
      'El puerto se heló en el invierno de 1987 por primera vez en cuarenta años, y diecisiete barcos tuvieron que esperar fuera hasta que se cortó el hielo.',
      'Una comisión de siete personas se reunía cada martes para estudiar el precio de los puentes. Nadie pensaba que el viejo reloj daría trece campanadas.',
      'El pan cruzaba la bahía en trineos, mientras los mensajeros traían cartas, medicinas y noticias de los pueblos pequeños de la montaña.',
      'Cuando llegó la primavera, el farero contó las pérdidas: tres anclas, un muelle y casi toda la cuerda guardada junto al almacén.',
    ],
    invoice: {
      title: 'Factura 5260',
      labels: ['Descripción', 'Cantidad', 'Importe', 'Total a pagar', 'Fecha: 3 de marzo de 2025', 'Pago en 30 días'],
      items: [
        ['Reparación de la bomba', '1', '275,00'],
        ['Tubería de cobre', '9', '88,20'],
        ['Viaje del técnico', '2', '39,10'],
      ],
      note: 'Gracias por su confianza. Indique el número de la factura al hacer el pago.',
    },
    form: ['Apellidos', 'Nombre', 'Calle y número', 'Código postal y ciudad', 'Teléfono', 'Fecha de nacimiento'],
  },
  ita: {
    title: 'Il porto in inverno',
    subtitle: 'Risultati del terzo trimestre',
    points: [
      'Il traffico è cresciuto del 12 per cento',
      'Due nuove gru sono arrivate in agosto',
      'Il costo del lavoro è più basso del previsto',
      'La prossima verifica sarà il 14 gennaio',
    ],
    paragraphs: [
      'Nel mese di febbraio il porto gelò per la prima volta in quarant anni, e le navi dovettero aspettare fuori finché il ghiaccio fu tagliato a mano.',
      'Un comitato di sette persone si riuniva ogni martedì per valutare il costo dei ponti. Nessuno pensava che il vecchio orologio avrebbe suonato tredici volte.',
      'Il pane fresco attraversava la baia sulle slitte, mentre i messaggeri portavano lettere, medicine e notizie dai villaggi più lontani.',
      'Quando arrivò la primavera, il guardiano del faro contò le perdite: tre ancore, un pontile, molte reti e quasi tutta la corda.',
    ],
    invoice: {
      title: 'Fattura 6147',
      labels: [
        'Descrizione',
        'Quantità',
        'Importo',
        'Totale dovuto',
        'Data: 3 marzo 2025',
        'Pagamento entro 30 giorni',
      ],
      items: [
        ['Riparazione della pompa', '1', '240,00'],
        ['Tubo di rame', '7', '64,40'],
        ['Viaggio del tecnico', '2', '37,80'],
      ],
      note: 'Grazie per la fiducia. Si prega di indicare il numero della fattura nel pagamento.',
    },
    form: ['Cognome', 'Nome', 'Via e numero', 'Codice postale e città', 'Telefono', 'Data di nascita'],
  },
  nld: {
    title: 'De haven in de winter',
    subtitle: 'Resultaten van het derde kwartaal',
    points: [
      'Het verkeer groeide met 12 procent dit jaar',
      'Twee nieuwe kranen kwamen in augustus',
      'De kosten van energie bleven onder het plan',
      'De volgende controle is op 14 januari',
    ],
    paragraphs: [
      'In de winter van 1987 vroor de haven voor het eerst in veertig jaar dicht, en zeventien schepen moesten buiten wachten tot het ijs was gezaagd.',
      'Een commissie van zeven mensen kwam elke dinsdag bijeen om de prijs van de bruggen te bespreken. Niemand dacht dat de oude klok dertien zou slaan.',
      'Vers brood werd op sleden over de baai getrokken, terwijl snelle boden brieven, medicijnen en nieuws uit de dorpen langs de kust brachten.',
      'Toen de lente kwam, telde de wachter de verliezen: drie ankers, een steiger en bijna al het touw dat onder de kade had gelegen.',
    ],
    invoice: {
      title: 'Factuur 7385',
      labels: [
        'Omschrijving',
        'Aantal',
        'Bedrag',
        'Totaal te betalen',
        'Datum: 3 maart 2025',
        'Betalen binnen 30 dagen',
      ],
      items: [
        ['Herstel van de pomp', '1', '265,00'],
        ['Koperen buis', '5', '51,20'],
        ['Reis van de monteur', '2', '42,60'],
      ],
      note: 'Hartelijk dank voor uw opdracht. Vermeld bij de betaling het nummer van de factuur.',
    },
    form: ['Achternaam', 'Voornaam', 'Straat en nummer', 'Postcode en plaats', 'Telefoon', 'Geboortedatum'],
  },
};
