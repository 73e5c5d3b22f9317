import iconv from 'iconv-lite'
import type { Encoding } from '../src/media/subtitles/encoding-tables.ts'
import { readSource } from '../src/media/subtitles/encoding.ts'
import { asEncodable, encodeSubtitle, samples } from '../test/engines/subtitles/sample-files.ts'

// Share of generated subtitle files that are decoded exactly, by detector, length and encoding. Each language of the
// product and each encoding that is detected, in files of three entries and of 120. Ours runs with and without the
// language of the request; chardet does not use languages. To compare with chardet, install it first:
// npm install --no-save chardet
// npm run bench -- subtitle-encodings

/** Sentences in subtitle languages with few or no test samples. */
const sentences: readonly (readonly [
  language: string,
  encodings: readonly Encoding[],
  lines: readonly string[],
])[] = [
  [
    'zh-CN',
    ['gb18030'],
    [
      '他昨天晚上打电话给我了。',
      '我们该怎么办？',
      '别担心，一切都会好的。',
      '这是我第一次来北京',
      '请等一下，我马上就回来！',
      '谁把门打开了？',
    ],
  ],
  [
    'zh-CHT',
    ['big5'],
    [
      '他昨天晚上打電話給我了。',
      '我們該怎麼辦？',
      '別擔心，一切都會好的。',
      '這是我第一次來臺北',
      '請等一下，我馬上就回來！',
      '誰把門打開了？',
    ],
  ],
  [
    'ja-JP',
    ['shift_jis', 'euc-jp'],
    [
      '昨日の夜、電話がありました。',
      'どうすればいいの？',
      '心配しないで、大丈夫だよ。',
      '京都は初めてです',
      'ちょっと待って、すぐ戻るから！',
      'コーヒーを一杯ください',
    ],
  ],
  [
    'ko-KR',
    ['euc-kr'],
    [
      '어젯밤에 전화가 왔어요.',
      '우리 이제 어떡하지?',
      '걱정 마, 다 잘될 거야.',
      '서울은 처음이에요',
      '잠깐만, 금방 돌아올게!',
      '누가 문을 열었지?',
    ],
  ],
  [
    'ru-RU',
    ['windows-1251'],
    [
      'Он звонил мне вчера вечером.',
      'Что же нам делать?',
      'Не волнуйся, всё будет хорошо.',
      'Я впервые в Москве',
      'Подожди, я сейчас вернусь!',
      'Кто открыл дверь?',
    ],
  ],
  [
    'fr-FR',
    ['windows-1252'],
    [
      'Il m’a appelé hier soir, très tard.',
      'Qu’est-ce qu’on va faire là-bas ?',
      'Ça ira, je te le répète.',
      'C’est ma première fois à Besançon',
      'Attends, je reviens bientôt, promis !',
      'Où as-tu laissé les clés ?',
    ],
  ],
  [
    'es-ES',
    ['windows-1252'],
    [
      '¿Quién abrió la puerta?',
      'Me llamó anoche, muy tarde.',
      '¡Qué alegría verte aquí, señor!',
      'Mañana iré a España',
      'Está bien, no pasará nada',
      'Los niños ya están durmiendo',
    ],
  ],
  [
    'pt-PT',
    ['windows-1252'],
    [
      'Ele ligou-me ontem à noite.',
      'Não sei o que fazer, irmão.',
      'É a primeira vez que venho cá',
      'Amanhã estarão todos no avião',
      'Não te preocupes, está tudo bem',
      'Você já comeu o pão?',
    ],
  ],
  [
    'en-US',
    ['windows-1252'],
    [
      'He called me last night… very late',
      'It’s a déjà vu, I’m telling you',
      '“What are we going to do?”',
      'Meet me at the café — alone',
      'Don’t worry, it’ll be fine',
      'Zoë isn’t coming',
    ],
  ],
  [
    'vi-VN',
    ['windows-1258'],
    [
      'Tối qua anh ấy gọi cho tôi.',
      'Chúng ta phải làm gì bây giờ?',
      'Đừng lo, mọi chuyện sẽ ổn',
      'Đây là lần đầu tôi đến Huế',
      'Chờ chút, tôi quay lại ngay',
      'Ai đã mở cửa vậy?',
    ],
  ],
  [
    'pl-PL',
    ['windows-1250'],
    [
      'Zadzwonił do mnie wczoraj późno.',
      'Co my teraz zrobimy, siostro?',
      'Nie martw się, będzie dobrze',
      'Pierwszy raz jestem w Łodzi',
      'Zaczekaj, zaraz wrócę!',
      'Kto otworzył drzwi?',
    ],
  ],
  [
    'cs-CZ',
    ['windows-1250'],
    [
      'Včera večer mi volal, řekl jsem.',
      'Co budeme dělat, příteli?',
      'Neboj se, všechno bude v pořádku',
      'Poprvé jsem přijel do Plzně',
      'Počkej, hned se vrátím!',
      'Kdo otevřel ty dveře?',
    ],
  ],
  [
    'hu-HU',
    ['windows-1250'],
    [
      'Tegnap este felhívott engem.',
      'Most mit fogunk csinálni?',
      'Ne aggódj, minden rendben lesz',
      'Először járok Győrben',
      'Várj, mindjárt jövök!',
      'Ki nyitotta ki az ajtót? Ő?',
    ],
  ],
  [
    'tr-TR',
    ['windows-1254'],
    [
      'Dün gece beni aradı, çok geçti.',
      'Şimdi ne yapacağız?',
      'Merak etme, her şey düzelecek',
      'İlk kez İstanbul’a geldim',
      'Bekle, hemen döneceğim!',
      'Kapıyı kim açtı?',
    ],
  ],
  [
    'de-DE',
    ['windows-1252'],
    [
      'Er hat mich gestern spät zurückgerufen.',
      'Was können wir dafür?',
      'Keine Sorge, alles wird schön',
      'Ich fahre zum ersten Mal nach Köln',
      'Warte, ich bin gleich draußen!',
      'Wer hat die Tür geöffnet?',
    ],
  ],
]

const testSentences = samples
  .filter(([encoding]) => !sentences.some(([, encodings]) => encodings.includes(encoding)))
  .map(([encoding, language, lines]) => [language, [encoding], lines] as const)

const unicode = ['utf-8', 'utf-16le', 'utf-16be'] as const

interface GeneratedFile {
  readonly language: string
  readonly encoding: Encoding
  readonly length: 'short' | 'long'
  readonly text: string
  readonly bytes: Uint8Array
}

function generateFiles(): GeneratedFile[] {
  return [...sentences, ...testSentences].flatMap(([language, legacy, lines]) =>
    [...legacy, ...unicode].flatMap((encoding) =>
      lines.flatMap((_, first) =>
        (['short', 'long'] as const).map((length): GeneratedFile => {
          const count = length === 'short' ? 3 : 120
          const chosenLines = Array.from(
            { length: count },
            (__, at) => lines[(first + at) % lines.length] ?? '',
          )
          const text = asEncodable(encoding, srt(chosenLines))
          return { language, encoding, length, text, bytes: encodeSubtitle(text, encoding, first % 2 === 1) }
        }),
      ),
    ),
  )
}

function srt(lines: readonly string[]): string {
  return lines
    .map((line, at) => {
      const minute = String(Math.floor(at / 30)).padStart(2, '0')
      const second = String((at % 30) * 2).padStart(2, '0')
      return `${at + 1}\r\n00:${minute}:${second},000 --> 00:${minute}:${second},900\r\n${line}\r\n`
    })
    .join('\r\n')
}

interface Peer {
  detect(bytes: Uint8Array): string | null
}

/** Imports a package that is not a dependency. Returns undefined if it is not installed. */
async function loadPeer(name: string): Promise<Peer | undefined> {
  return await import(name).then(
    (loaded: { default: Peer }) => loaded.default,
    () => undefined,
  )
}

function decodeAs(bytes: Uint8Array, encoding: string | null): string {
  return encoding !== null && iconv.encodingExists(encoding) ? iconv.decode(bytes, encoding) : ''
}

const peer = await loadPeer('chardet')
const detectors: Readonly<Record<string, (file: GeneratedFile) => string>> = {
  'ours, known language': ({ bytes, language }) => readSource(bytes, language).text,
  'ours, unknown language': ({ bytes }) => readSource(bytes).text,
  ...(peer && { chardet: ({ bytes }: GeneratedFile) => decodeAs(bytes, peer.detect(bytes)) }),
}

const files = generateFiles()
for (const [name, detect] of Object.entries(detectors)) {
  const started = performance.now()
  const failures = files.filter((file) => detect(file) !== file.text)
  const milliseconds = ((performance.now() - started) / files.length).toFixed(2)
  const shares = (['short', 'long'] as const).map((length) => {
    const all = files.filter((file) => file.length === length).length
    const right = all - failures.filter((file) => file.length === length).length
    return `${length} ${right} of ${all} (${((100 * right) / all).toFixed(1)} %)`
  })
  console.log(`${name}: ${shares.join(', ')}, ${milliseconds} ms per file`)
  const kinds = Map.groupBy(failures, ({ encoding, language, length }) => `${encoding} ${language} ${length}`)
  for (const [kind, ones] of kinds) console.log(`  wrong: ${kind} ${ones.length}`)
}
