/** Languages of generated recordings, as the service calls them. */
export const recordingLanguages = ['zh-CN', 'en-US', 'ja-JP', 'ko-KR', 'fr-FR'] as const
export type RecordingLanguage = (typeof recordingLanguages)[number]

/** A word of a sentence. */
export interface SpokenWord {
  /** As the script has it; in Chinese one character, in Japanese a phrase of the script. */
  readonly text: string
  /** What is given to the voice: pinyin, kana, or the text. */
  readonly spoken: string
  /** Punctuation after the word, or an empty string. */
  readonly mark: string
}

/** A voice and its sentences. */
export interface SentenceTable {
  /** Voice of espeak-ng. */
  readonly voice: string
  /** Between words of the script. */
  readonly space: '' | ' '
  readonly filler: string
  readonly sentences: readonly (readonly SpokenWord[])[]
}

const marks = /[，。！？、；：,.!?;:…]+$/u

/** Words separated by spaces, each `text` or `text/spoken`. */
function parseWords(sentence: string): SpokenWord[] {
  return sentence.split(' ').map((token) => {
    const [mark = ''] = marks.exec(token) ?? []
    const [text = '', spoken = text] = token.slice(0, token.length - mark.length).split('/')
    return { text, spoken, mark }
  })
}

/** Chinese characters with the pinyin of each. */
function parseChinese([text, pinyin]: readonly [string, string]): SpokenWord[] {
  const syllables = pinyin.split(' ')
  return [...text.matchAll(/(\p{L})(\P{L}*)/gu)].map(([, character = '', mark = ''], index) => ({
    text: character,
    spoken: syllables[index] ?? '',
    mark,
  }))
}

const chinese: readonly (readonly [string, string])[] = [
  ['大家好，欢迎来到我的频道。', 'da4 jia1 hao3 huan1 ying2 lai2 dao4 wo3 de5 pin2 dao4'],
  ['今天我们要做一个简单的晚饭。', 'jin1 tian1 wo3 men5 yao4 zuo4 yi2 ge4 jian3 dan1 de5 wan3 fan4'],
  [
    '首先准备三个鸡蛋，还有两个西红柿。',
    'shou3 xian1 zhun3 bei4 san1 ge4 ji1 dan4 hai2 you3 liang3 ge4 xi1 hong2 shi4',
  ],
  ['把锅烧热以后，再放一点油。', 'ba3 guo1 shao1 re4 yi3 hou4 zai4 fang4 yi4 dian3 you2'],
  ['这时候火不能太大，否则会糊。', 'zhe4 shi2 hou5 huo3 bu4 neng2 tai4 da4 fou3 ze2 hui4 hu2'],
  ['你喜欢吃甜的还是咸的？', 'ni3 xi3 huan1 chi1 tian2 de5 hai2 shi4 xian2 de5'],
  ['我妈妈从前每个星期都做这道菜。', 'wo3 ma1 ma5 cong2 qian2 mei3 ge4 xing1 qi1 dou1 zuo4 zhe4 dao4 cai4'],
  ['最后撒上葱花，就可以端上桌了！', 'zui4 hou4 sa3 shang4 cong1 hua1 jiu4 ke3 yi3 duan1 shang4 zhuo1 le5'],
  ['如果学会了，请在下面留言。', 'ru2 guo3 xue2 hui4 le5 qing3 zai4 xia4 mian4 liu2 yan2'],
  ['窗外正在下雨，屋里很暖和。', 'chuang1 wai4 zheng4 zai4 xia4 yu3 wu1 li3 hen3 nuan3 huo5'],
  ['记得关注我们，下次再见。', 'ji4 de5 guan1 zhu4 wo3 men5 xia4 ci4 zai4 jian4'],
  ['买菜的时候要看清楚价格。', 'mai3 cai4 de5 shi2 hou5 yao4 kan4 qing1 chu5 jia4 ge2'],
]

const english = [
  'Welcome back to the workshop, my name is Robin.',
  'Today we are building a small wooden shelf for the kitchen.',
  'Measure the wall twice, because a mistake here costs a whole board.',
  'The saw should be sharp, and the bench must not move.',
  'Do you really need expensive tools for this?',
  'My grandfather used only a hammer and much patience.',
  'Sand every edge until it feels like paper.',
  'If the glue runs out, wipe it away with warm water.',
  'Let everything dry overnight, then add two coats of oil!',
  'Seven screws hold the brackets in place.',
  'Some people prefer paint; others leave the grain visible.',
  'Thank you for watching, and see you next Thursday.',
]

const japanese = [
  '皆さん/みなさん こんにちは。',
  '今日は/きょうは 新しい/あたらしい カメラを/かめらを 紹介/しょうかい します。',
  '箱を/はこを 開けると/あけると、 小さな/ちいさな 袋が/ふくろが 入って/はいって います。',
  '電池は/でんちは 六時間/ろくじかん 使えます/つかえます。',
  '値段は/ねだんは 少し/すこし 高いですが/たかいですが、 とても 便利です/べんりです。',
  'どこで 買えば/かえば いい でしょうか？',
  '私は/わたしは 駅前の/えきまえの 店で/みせで 見つけました/みつけました。',
  '夜の/よるの 公園でも/こうえんでも きれいに 撮れます/とれます！',
  '雨の/あめの 日には/ひには 傘を/かさを 忘れないで/わすれないで ください。',
  '友達と/ともだちと 一緒に/いっしょに 旅行へ/りょこうへ 行きたいです/いきたいです。',
  '質問が/しつもんが あれば、 下に/したに 書いて/かいて ください。',
  'それでは、 また 来週/らいしゅう 会いましょう/あいましょう。',
]

const korean = [
  '안녕하세요 여러분, 다시 만나서 반갑습니다.',
  '오늘은 작은 정원을 만드는 방법을 배워 봅시다.',
  '먼저 흙을 준비하고, 돌을 골라 내야 합니다.',
  '씨앗은 너무 깊이 심지 마세요.',
  '햇빛이 부족하면 잎이 노랗게 변합니다.',
  '물은 하루에 몇 번 줘야 할까요?',
  '제 경험으로는 아침에 한 번이면 충분해요.',
  '벌레가 생기면, 비누 거품을 조금 뿌려 주세요.',
  '여름에는 토마토가 빨갛게 익어요!',
  '이웃에게 나누어 주는 기쁨도 큽니다.',
  '겨울이 오기 전에 뿌리를 덮어 두세요.',
  '궁금한 점은 댓글로 남기고, 다음 주에 만나요.',
]

const french = [
  'Bonjour à tous, je suis ravi de vous retrouver.',
  'Nous allons réparer ensemble une vieille bicyclette.',
  'Commencez par retourner le vélo, puis enlevez la roue.',
  'La chambre à air se trouve sous le pneu.',
  'Où est donc passé le petit tournevis rouge?',
  'Mon voisin garde toujours une boîte de rustines.',
  'Frottez doucement la surface; sinon la colle ne tient pas.',
  'Attendez quelques minutes, le temps de boire un café.',
  'Gonflez enfin avec une pompe solide!',
  'Un peu de graisse protège la chaîne contre la pluie.',
  'Cette méthode fonctionne aussi pour les enfants.',
  'Merci de votre attention, et à bientôt sur la route.',
]

/** Voice, filler and sentences of each language. */
export const sentenceTables: Readonly<Record<RecordingLanguage, SentenceTable>> = {
  'zh-CN': {
    ...{ voice: 'cmn-latn-pinyin', space: '', filler: 'en5' },
    sentences: chinese.map(parseChinese),
  },
  'en-US': { voice: 'en-us', space: ' ', filler: 'um', sentences: english.map(parseWords) },
  'ja-JP': { voice: 'ja', space: '', filler: 'えーと', sentences: japanese.map(parseWords) },
  'ko-KR': { voice: 'ko', space: ' ', filler: '음', sentences: korean.map(parseWords) },
  'fr-FR': { voice: 'fr-fr', space: ' ', filler: 'euh', sentences: french.map(parseWords) },
}
