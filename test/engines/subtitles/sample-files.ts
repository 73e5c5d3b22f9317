import iconv from 'iconv-lite'
import * as fc from 'fast-check'
import type { Encoding } from '../../../src/media/subtitles/encoding-tables.ts'
import type { SubtitleFormat } from '../../../src/media/subtitles/subtitles.ts'

/** Lines in a language for each encoding. */
export const samples: readonly (readonly [Encoding, string, readonly string[]])[] = [
  [
    'gb18030',
    'zh-CN',
    ['你知道他去哪里了吗？', '明天早上八点见面。', '没有人告诉我', '我以前从来没有去过海边，你呢'],
  ],
  [
    'big5',
    'zh-CHT',
    ['你知道他去哪裡了嗎？', '明天早上八點見面。', '沒有人告訴我', '我以前從來沒有去過海邊，你呢'],
  ],
  [
    'shift_jis',
    'ja-JP',
    ['東京タワーへ行きましょう。', 'ねえ、いっしょにどうですか', '彼女は言いました', 'ありがとう'],
  ],
  [
    'euc-jp',
    'ja-JP',
    ['東京タワーへ行きましょう。', 'ねえ、いっしょにどうですか', '彼女は言いました', 'ありがとう'],
  ],
  [
    'euc-kr',
    'ko-KR',
    ['나는 바다에 가 본 적이 없어', '올여름에는 꼭 너와 함께', '아무도 말해 주지 않았어', '고마워요'],
  ],
  [
    'windows-1250',
    'pl-PL',
    ['Żółta łódź płynie dziś', 'Nikt mi nie powiedział', 'Dziękuję, że jesteś', 'Gdzie on poszedł?'],
  ],
  [
    'windows-1251',
    'ru-RU',
    ['Ты знаешь, куда он ушёл?', 'Никто мне не сказал', 'Увидимся завтра, Анна!', 'Спасибо'],
  ],
  [
    'windows-1252',
    'fr-FR',
    ['Où est-il allé ? Ça, je sais', 'Personne ne m’a prévenue', 'À bientôt, Éloïse', 'Déjà été'],
  ],
  ['windows-1253', 'el-GR', ['Ξέρεις πού πήγε;', 'Κανείς δεν μου είπε', 'Τα λέμε αύριο', 'Ευχαριστώ πολύ']],
  [
    'windows-1254',
    'tr-TR',
    ['Nereye gittiğini biliyor musun', 'Kimse bana söylemedi', 'Yarın görüşürüz', 'Teşekkür ederim'],
  ],
  ['windows-1255', 'he-IL', ['אתה יודע לאן הוא הלך', 'אף אחד לא אמר לי', 'נתראה מחר', 'תודה רבה']],
  ['windows-1256', 'ar-SA', ['هل تعرف أين ذهب', 'لم يخبرني أحد', 'أراك غدا', 'شكرا جزيلا']],
  [
    'windows-1257',
    'lt-LT',
    ['Ar žinai, kur jis nuėjo?', 'Niekas man nesakė', 'Iki rytojaus, ačiū', 'Šiandien gražu'],
  ],
  ['windows-1258', 'vi-VN', ['Chào anh, tôi đi đây', 'Không ai nói gì', 'Ngày mai gọi nhé', 'Cảm ơn']],
]

/** Returns text in a form that an encoding can represent: windows-1258 has Vietnamese tones as separate characters. */
export const asEncodable = (encoding: Encoding, text: string) =>
  encoding === 'windows-1258'
    ? [...text.normalize('NFC')]
        .map((letter) => (iconv.encode(letter, encoding)[0] === 63 ? separateTone(letter) : letter))
        .join('')
    : text

function separateTone(letter: string): string {
  const marks = letter.normalize('NFD')
  const tone = /[\u0300\u0301\u0303\u0309\u0323]/.exec(marks)?.[0] ?? ''
  return marks.replace(tone, '').normalize('NFC') + tone
}

/** Encodes a text, with a byte order mark if requested and possible. */
export function encodeSubtitle(text: string, encoding: Encoding, bom = false): Uint8Array {
  return iconv.encode(text, encoding, { addBOM: bom })
}

const oneOf = fc.constantFrom
const clock = (ms: number) => {
  const [hours, minutes, seconds] = [3_600_000, 60_000, 1000].map((unit) => Math.floor(Math.abs(ms) / unit))
  const two = (value = 0, of = 60) => String(value % of).padStart(2, '0')
  return `${ms < 0 ? '-' : ''}${two(hours, 1000)}:${two(minutes)}:${two(seconds)},${String(Math.abs(ms) % 1000).padStart(3, '0')}`
}
/** Mostly valid times; some without duration, negative, reversed or too late. */
const times = fc
  .tuple(fc.integer({ min: -50, max: 4_000_000 }), oneOf(900, 2_000, 1, 0, -500, 500_000_000))
  .map(([start, lasts]) => [clock(start), clock(start + lasts)] as const)
const words = oneOf(
  ...samples.flatMap(([, , lines]) => lines),
  '',
  ' ',
  '🙂',
  '3.14, 1,000',
  'a\u0000b',
  '\ud800',
  '  x  ',
)
const tags = oneOf(
  '<i>',
  '</i>',
  String.raw`{\an8}`,
  '<font color="#ff0000">',
  '{',
  '}',
  '<',
  String.raw`{\k20}`,
  String.raw`\N`,
)
const garbage = oneOf(
  '-->',
  '12',
  '[Fonts]',
  'fontname: a.ttf',
  'NOTE',
  'Comment: x',
  '00:00 --> x',
  ',,,,',
  ';',
  '\t',
)
const ending = oneOf('\n', '\r\n', '\r', '\n\n', '\r\n\r\n')

const timing = fc
  .tuple(times, oneOf('', ' X1:10 X2:20', ' line:0'))
  .map(([[from, to], rest]) => `${from} --> ${to}${rest}`)
const block = fc.tuple(timing, words, ending).map(([range, text, end]) => `${range}${end.slice(0, 1)}${text}`)
const event = fc
  .tuple(oneOf('Dialogue', 'Comment', 'Picture'), oneOf('0', '1', 'x'), times, words, tags)
  .map(([kind, layer, [from, to], text, tag]) => {
    const [start, end] = [from.replace(',', '.'), to.replace(',', '.')]
    return `${kind}: ${layer},${start},${end},Default,,0,0,0,,${tag}${text}`
  })
const header = oneOf(
  ...[
    '[Script Info]',
    '[V4+ Styles]',
    '[Events]',
    '[Aegisub Project Garbage]',
    'PlayResX: 640',
    'WEBVTT',
    '; made by hand',
  ],
  'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text',
  'Format: Start, End, Text',
)
const line = fc.oneof(
  timing,
  block,
  event,
  block,
  event,
  header,
  garbage,
  words,
  fc.tuple(tags, words).map((pair) => pair.join('')),
)

const encodings = [
  ...samples.map(([encoding]) => encoding),
  'utf-8',
  'utf-16le',
  'utf-16be',
  'utf-32le',
  'utf-32be',
] as const

const seldom = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary })

/** Realistic and malformed subtitle files. */
export const anyFile: fc.Arbitrary<{ readonly bytes: Uint8Array; readonly format: SubtitleFormat }> = fc
  .record({
    lines: fc.array(fc.tuple(line, ending), { minLength: 1, maxLength: 14 }),
    last: oneOf('', 'text', '1'),
    encoding: oneOf(...encodings),
    bom: fc.boolean(),
    format: oneOf<SubtitleFormat>('srt', 'ass', 'vtt'),
    noise: seldom(fc.tuple(fc.nat(400), fc.uint8Array({ maxLength: 5 }))),
    cut: seldom(fc.nat(300)),
  })
  .map(({ lines, last, encoding, bom, format, noise, cut }) => {
    const body = lines.map(([text, end]) => text + end).join('') + last
    const start = format === 'ass' ? '[Events]\r\n' : ''
    const whole = encodeSubtitle(start + body, encoding, bom)
    const at = Math.min(whole.length, noise?.[0] ?? 0)
    const noisy = Buffer.concat([whole.subarray(0, at), noise?.[1] ?? Buffer.alloc(0), whole.subarray(at)])
    return { format, bytes: noisy.subarray(0, cut === null ? noisy.length : Math.min(noisy.length, cut)) }
  })
