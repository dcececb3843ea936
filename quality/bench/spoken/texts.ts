/** What the voices say, in the languages of Kokoro; without digits, which every model writes in its own way. */
export type SpokenText = {
  language: string;
  voices: readonly [string, string];
  texts: readonly string[];
  written?: readonly string[];
};

/** Languages whose errors are counted by characters. */
export const UNSPACED: ReadonlySet<string> = new Set(['ja', 'zh']);

export const SPOKEN_TEXTS: readonly SpokenText[] = [
  {
    language: 'en',
    voices: ['af_heart', 'bm_george'],
    texts: [
      'The old lighthouse keeper climbed the stairs every evening to light the lamp. Ships far out at sea could see it through the fog.',
      'Please bring the report to the meeting, because the board wants to discuss the numbers before lunch.',
    ],
  },
  {
    language: 'fr',
    voices: ['ff_siwis', 'ff_siwis'],
    texts: [
      'Le train pour Lyon part demain matin. Il faut arriver à la gare un peu en avance, parce que les quais sont souvent pleins de voyageurs.',
      'Ma sœur a planté des tomates dans le jardin, mais la pluie de la semaine dernière a tout emporté.',
    ],
  },
  {
    language: 'es',
    voices: ['ef_dora', 'em_alex'],
    texts: [
      'El mercado abre todos los días muy temprano. Los agricultores traen frutas frescas, queso y pan caliente para las familias del barrio.',
      'Mi abuelo escribía cartas largas cuando vivía lejos de su pueblo, y todavía las guardamos en una caja.',
    ],
  },
  {
    language: 'it',
    voices: ['if_sara', 'im_nicola'],
    texts: [
      'La biblioteca della città è aperta anche la domenica. Molti studenti vengono qui a leggere e a preparare gli esami.',
      'Ieri sera abbiamo cucinato la pasta con le verdure del mercato, e poi siamo andati a fare una passeggiata.',
    ],
  },
  {
    language: 'pt',
    voices: ['pf_dora', 'pm_alex'],
    texts: [
      'A chuva começou de repente durante a tarde. As crianças correram para casa e a mãe preparou chocolate quente.',
      'O professor pediu aos alunos que escrevessem uma história sobre a viagem que fizeram no verão.',
    ],
  },
  {
    language: 'hi',
    voices: ['hf_alpha', 'hm_omega'],
    texts: [
      'आज मौसम बहुत अच्छा है। हम बाज़ार जाकर ताज़े फल खरीदेंगे।',
      'मेरे पिता हर सुबह बगीचे में पौधों को पानी देते हैं और फिर अख़बार पढ़ते हैं।',
    ],
  },
  {
    language: 'ja',
    voices: ['jf_alpha', 'jm_kumo'],
    // The voice reads syllables; a transcript has the usual characters.
    texts: [
      'きょうは とても てんきが いいので、こうえんを さんぽしました。',
      'あした ともだちと うみへ いって、おいしい さかなを たべます。',
    ],
    written: ['今日はとても天気がいいので、公園を散歩しました。', '明日友達と海へ行って、美味しい魚を食べます。'],
  },
  {
    language: 'zh',
    voices: ['zf_xiaobei', 'zm_yunxi'],
    texts: ['今天天气很好，我们去公园散步吧。', '我的哥哥在北京工作，他每年春天都回家看爸爸妈妈。'],
  },
];
