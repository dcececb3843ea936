/** What eSpeak NG offers: its own name for a voice, the BCP 47 tag of what it speaks, and a name for people. */
export const voiceTable = `
gmw/af|af|Afrikaans
sem/am|am|Amharic
roa/an|an|Aragonese
sem/ar|ar|Arabic
inc/as|as|Assamese
trk/az|az|Azerbaijani
trk/ba|ba|Bashkir
zle/be|be|Belarusian
zls/bg|bg|Bulgarian
inc/bn|bn|Bengali
inc/bpy|bpy|Bishnupriya Manipuri
zls/bs|bs|Bosnian
roa/ca|ca|Catalan
roa/ca-ba|ca|Catalan (Balearic)
roa/ca-nw|ca|Catalan (North-western)
roa/ca-va|ca-valencia|Catalan (Valencian)
iro/chr|chr|Cherokee
sit/cmn|cmn|Chinese (Mandarin, latin as English)
sit/cmn-Latn-pinyin|cmn-Latn-pinyin|Chinese (Mandarin, latin as Pinyin)
zlw/cs|cs|Czech
trk/cv|cv|Chuvash
cel/cy|cy|Welsh
gmq/da|da|Danish
gmw/de|de|German
grk/el|el|Greek
gmw/en-029|en-029|English (Caribbean)
gmw/en|en-GB|English (Great Britain)
gmw/en-GB-scotland|en-GB-scotland|English (Scotland)
gmw/en-GB-x-gbclan|en-GB-x-gbclan|English (Lancaster)
gmw/en-GB-x-gbcwmd|en-GB-x-gbcwmd|English (West Midlands)
gmw/en-GB-x-rp|en-GB-x-rp|English (Received Pronunciation)
gmw/en-US|en-US|English (America)
gmw/en-US-nyc|en-US|English (America, New York City)
art/eo|eo|Esperanto
roa/es|es|Spanish (Spain)
roa/es-419|es-419|Spanish (Latin America)
urj/et|et|Estonian
eu|eu|Basque
ira/fa|fa|Persian
ira/fa-Latn|fa-Latn|Persian (Pinglish)
urj/fi|fi|Finnish
gmq/fo|fo|Faroese
roa/fr-BE|fr-BE|French (Belgium)
roa/fr-CH|fr-CH|French (Switzerland)
roa/fr|fr-FR|French (France)
cel/ga|ga|Gaelic (Irish)
cel/gd|gd|Gaelic (Scottish)
sai/gn|gn|Guarani
grk/grc|grc|Greek (Ancient)
inc/gu|gu|Gujarati
sit/hak|hak|Hakka Chinese
map/haw|haw|Hawaiian
sem/he|he|Hebrew
inc/hi|hi|Hindi
zls/hr|hr|Croatian
roa/ht|ht|Haitian Creole
urj/hu|hu|Hungarian
ine/hy|hy|Armenian (East Armenia)
ine/hyw|hyw|Armenian (West Armenia)
art/ia|ia|Interlingua
poz/id|id|Indonesian
art/io|io|Ido
gmq/is|is|Icelandic
roa/it|it|Italian
jpx/ja|ja|Japanese
art/jbo|jbo|Lojban
ccs/ka|ka|Georgian
trk/kaa|kaa|Karakalpak
trk/kk|kk|Kazakh
esx/kl|kl|Greenlandic
dra/kn|kn|Kannada
ko|ko|Korean
inc/kok|kok|Konkani
ira/ku|ku|Kurdish
trk/ky|ky|Kyrgyz
itc/la|la|Latin
gmw/lb|lb|Luxembourgish
art/lfn|lfn|Lingua Franca Nova
bat/lt|lt|Lithuanian
bat/ltg|ltg|Latgalian
bat/lv|lv|Latvian
poz/mi|mi|Māori
zls/mk|mk|Macedonian
dra/ml|ml|Malayalam
inc/mr|mr|Marathi
poz/ms|ms|Malay
sem/mt|mt|Maltese
miz/mto|mto|Totontepec Mixe
sit/my|my|Myanmar (Burmese)
gmq/nb|nb|Norwegian Bokmål
azc/nci|nci|Nahuatl (Classical)
inc/ne|ne|Nepali
gmw/nl|nl|Dutch
trk/nog|nog|Nogai
cus/om|om|Oromo
inc/or|or|Oriya
inc/pa|pa|Punjabi
roa/pap|pap|Papiamento
art/piqd|tlh|Klingon
zlw/pl|pl|Polish
roa/pt|pt|Portuguese (Portugal)
roa/pt-BR|pt-BR|Portuguese (Brazil)
art/py|art-x-pyash|Pyash
art/qdb|qdb|Lang Belta
qu|qu|Quechua
myn/quc|quc|K'iche'
art/qya|qya|Quenya
roa/ro|ro|Romanian
zle/ru|ru|Russian
zle/ru-cl|ru|Russian (Classic)
zle/ru-LV|ru-LV|Russian (Latvia)
inc/sd|sd|Sindhi
tai/shn|shn|Shan (Tai Yai)
inc/si|si|Sinhala
art/sjn|sjn|Sindarin
zlw/sk|sk|Slovak
zls/sl|sl|Slovenian
urj/smj|smj|Lule Saami
ine/sq|sq|Albanian
zls/sr|sr|Serbian
gmq/sv|sv|Swedish
bnt/sw|sw|Swahili
dra/ta|ta|Tamil
dra/te|te|Telugu
tai/th|th|Thai
sem/ti|ti|Tigrinya
trk/tk|tk|Turkmen
bnt/tn|tn|Setswana
trk/tr|tr|Turkish
trk/tt|tt|Tatar
trk/ug|ug|Uyghur
zle/uk|uk|Ukrainian
inc/ur|ur|Urdu
trk/uz|uz|Uzbek
aav/vi|vi|Vietnamese (Northern)
aav/vi-VN-x-central|vi-VN-x-central|Vietnamese (Central)
aav/vi-VN-x-south|vi-VN-x-south|Vietnamese (Southern)
art/xex|art-x-xextan|xextan-test
sit/yue|yue|Chinese (Cantonese)
sit/yue-Latn-jyutping|yue-Latn-jyutping|Chinese (Cantonese, latin as Jyutping)
`;
