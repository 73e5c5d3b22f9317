/**
 * Frequent words of the languages in Latin letters, in lower case: articles, pronouns, prepositions, auxiliaries, and the
 * words that make up short lines of dialogue. Our own selection.
 */
const lists: Readonly<Record<string, string>> = {
  en: `the a an and or but if of to in on at by for from with about into over after before under i you he she it we they
    me him her us them my your his its our their this that these those there here is are was were be been being am do does
    did done have has had will would can could should shall may might must not no yes yeah yep nope okay hello hi hey
    goodbye bye thanks thank please sorry welcome what who whom whose which when where why how all any both each every
    some none nobody nothing nowhere somebody someone something anybody anyone anything everybody everyone everything
    never always ever again already still just only very too so then than now today tomorrow yesterday tonight soon later
    come came go goes going gone went get got give gave take took make made say said tell think thought know knew
    known see saw seen look wait stop help run leave stay listen want need like love hate good bad great right wrong true
    false sure maybe perhaps really well fine enough much many more most less little big small old new first last next end
    time day night morning evening man woman men women people friend father mother brother sister son daughter boy girl
    house home door money water coffee work life death god hell damn quiet careful hurry quick quickly back away out off up
    down one two three four five six seven eight nine ten shop open closed exit
    entrance congratulations cheers attention silence fire police freeze surprise exactly absolutely definitely obviously
    unfortunately honestly seriously alright amazing awesome beautiful wonderful perfect impossible interesting enjoy ladies
    gentlemen ready action chapter part episode subtitles translated continued previously meanwhile`,
  es: `el la los las un una unos unas y o pero si de del al en con por para sin sobre entre hasta desde yo tú usted él ella
    nosotros ustedes ellos ellas me te se le nos les lo mi tu su mis tus sus este esta esto estos estas ese esa eso aquel
    aquella es son era eran ser fue fui soy eres somos está están estoy estás estaba he has ha hemos han había hay haber
    tengo tienes tiene tienen voy vas va vamos van quiero quieres quiere puedo puedes puede no sí hola adiós gracias perdón
    favor bueno buenos buena buenas qué quién cuándo dónde cómo cuál cuánto porque cuando donde como también tampoco muy
    más menos mucho poco todo todos nada nadie nunca siempre algo alguien aquí allí ahora hoy mañana ayer noche día luego
    ya todavía bien mal hombre mujer amigo casa vida espera vete ven mira oye cuidado claro hey okay ok`,
  fr: `le la les un une des et ou mais si de du au aux en dans avec par pour sans sur sous entre chez vers je tu il elle on
    nous vous ils elles me te se lui leur mon ton son ma ta sa mes tes ses notre votre nos vos ce cet cette ces ça cela
    est sont était étaient être été suis es sommes êtes ai as a avons avez ont avait avoir fait faire va vais vas allons
    allez vont veux veut peux peut dois doit faut ne pas plus jamais rien personne oui non bonjour bonsoir salut merci
    pardon désolé désolée qui que quoi quand où comment pourquoi quel quelle parce comme aussi très trop peu beaucoup tout
    tous toute toutes ici là maintenant aujourd'hui demain hier soir nuit jour bien mal homme femme ami maison vie attends
    viens regarde arrête voilà alors encore déjà toujours hey okay ok stop`,
  pt: `o a os as um uma uns umas e ou mas se de do da dos das em no na nos nas com por para pelo pela sem sobre entre até eu
    tu você ele ela nós vocês eles elas me te lhe meu minha teu tua seu sua nosso nossa este esta isto esse essa isso
    aquele aquela aquilo é são era eram ser foi fui sou somos está estão estou estava tenho tens tem têm temos tinha há
    haver vou vais vai vamos vão quero quer queres posso pode podes não sim olá adeus obrigado obrigada desculpa desculpe
    favor bom boa bons que quem quando onde como porque qual quanto também muito muita mais menos pouco tudo todos nada
    ninguém nunca sempre algo alguém aqui ali agora hoje amanhã ontem noite dia depois já ainda bem mal homem mulher amigo
    casa vida espera vem olha cuidado claro hey okay ok`,
  de: `der die das den dem des ein eine einen einem einer und oder aber wenn von zu zum zur im in an am auf aus bei mit für
    über unter vor nach durch gegen ohne um ich du er sie es wir ihr mich dich ihn uns euch mir dir ihm ihnen mein meine
    dein deine sein seine unser unsere euer dieser diese dieses jener ist sind war waren bin bist seid gewesen habe hast hat
    haben hatte werden wird wurde kann kannst können muss müssen soll will willst wollen darf nicht kein keine ja nein doch
    hallo tschüss danke bitte wer was wen wem welche wann wo warum wie weil dass als auch nur noch schon immer nie nichts
    niemand jemand etwas alles alle hier dort da jetzt heute morgen gestern abend nacht tag mann frau freund haus leben gut
    schlecht sehr viel wenig mehr komm geh warte schau okay ok`,
  id: `yang dan atau tapi tetapi jika kalau dari di ke pada untuk dengan oleh tanpa tentang antara saya aku kamu anda dia kita
    kami mereka ini itu adalah ada tidak bukan belum sudah telah akan sedang bisa dapat harus mau ingin perlu ya halo terima
    kasih tolong maaf siapa apa kapan dimana mana mengapa kenapa bagaimana karena seperti juga hanya saja lagi masih selalu
    semua sesuatu seseorang sini sana sekarang nanti hari besok kemarin malam pagi siang orang teman rumah hidup baik buruk
    sangat sekali banyak sedikit lebih ayo pergi datang lihat tunggu okay ok`,
  ms: `yang dan atau tapi tetapi jika kalau dari di ke pada untuk dengan oleh tanpa tentang antara saya aku awak kamu anda dia
    kita kami mereka ini itu adalah ada tidak tak bukan belum sudah telah akan sedang boleh dapat mesti mahu nak ingin perlu
    ya helo terima kasih tolong maaf siapa apa bila mana mengapa kenapa bagaimana macam kerana seperti juga hanya sahaja lagi
    masih selalu semua sesuatu seseorang sini sana sekarang nanti hari esok semalam malam pagi orang kawan rumah hidup baik
    buruk sangat sekali banyak sedikit lebih jom pergi datang tengok tunggu okay ok`,
  fil: `ang ng mga sa na at o pero kung si ni kay ko mo niya natin namin ninyo nila ako ikaw ka siya tayo kami kayo sila ito
    iyan iyon ay hindi oo opo wala walang may mayroon meron para dahil kasi kapag habang kumusta salamat pakiusap paumanhin
    sino ano kailan saan bakit paano alin gaano rin din lang lamang pa ba nga po palagi lahat dito diyan doon ngayon bukas
    kahapon gabi umaga araw tao kaibigan bahay buhay mabuti masama napaka sobra marami kaunti mas gusto kailangan dapat tara
    okay ok`,
  vi: `và hoặc nhưng nếu của là có không được cho với từ đến trong trên dưới ở tại vì nên thì mà đã đang sẽ rồi chưa cũng
    rất quá lắm tôi tao mày anh em chị ông bà cô chú bạn nó họ chúng ta mình này đó kia đây đấy ai gì nào đâu sao khi
    bao giờ thế vậy xin chào cảm ơn lỗi vâng dạ ừ đi lại ra vào lên xuống về làm nói biết thấy nghe nhìn muốn phải cần
    tốt đẹp người nhà đêm ngày hôm nay mai qua bây`,
}

const byLanguage = new Map(
  Object.entries(lists).map(([language, words]) => [language, new Set(words.split(/\s+/))] as const),
)

/** Returns the frequent words of a language code such as `en-US`; empty for other languages. */
export function commonWords(language: string): ReadonlySet<string> {
  return byLanguage.get(language.split('-')[0] ?? '') ?? new Set()
}
