import { plainModelText } from '../../media/subtitles/control-characters.ts'

/**
 * Returns the translation of a line without what models add to it: control characters, tags, line breaks in the syntax
 * of ASS, character entities, and translator's notes. What the source line contains itself stays.
 */
export function cleanTranslation(source: string, translation: string): string {
  const plain = trimLines(removeEntities(source, plainModelText(translation)))
  const broken = source.includes('\\') ? plain : breakLines(plain)
  const untagged = trimLines(removeTags(source, broken))
  return /[:：※]/.test(untagged) ? trimLines(removeNotes(source, untagged)) : untagged
}

/** Trims all lines, collapses their spaces, and removes empty ones. */
function trimLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replaceAll(/ {2,}/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n')
}

/** Replaces the line breaks and hard spaces of ASS, and escaped line ends of JSON. */
function breakLines(text: string): string {
  return text
    .replaceAll(/\\{1,4}[Nnr]/g, '\n')
    .replaceAll(/\\{1,4}h/g, ' ')
    .replaceAll(/<br ?\/?>/gi, '\n')
}

const entities: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", nbsp: '\u00a0' },
}

/** Replaces character entities, unless the source has any. */
function removeEntities(source: string, text: string): string {
  const entity = /&(amp|lt|gt|quot|apos|#39|nbsp);/gi
  if (source.search(entity) >= 0) return text
  return text.replaceAll(entity, (whole, name: string) => entities[name.toLowerCase()] ?? whole)
}

/** Tags of HTML, VTT, ASS, MicroDVD and Markdown, each with the sign that a source with such tags contains. */
const tagPatterns: readonly (readonly [sign: string, pattern: RegExp])[] = [
  [
    '<',
    /<\/?(?:a|b|big|c|center|code|div|em|font|i|lang|line|p|rt|ruby|s|small|span|strike|strong|sub|sup|text|translation|u|v)(?:[ .][^<>\n]{0,999})?\/?>/gi,
  ],
  ['{', /\{(?:\\[^{}\n]{0,999}|[cfhpsy]:[^{}\n]{0,999}|\/?[bius])\}/gi],
  ['*', /(?<![\w*])\*\*(?=\S)|(?<=\S)\*\*(?![\w*])/g],
]

function removeTags(source: string, text: string): string {
  return tagPatterns.reduce(
    (left, [sign, pattern]) => (source.includes(sign) ? left : left.replaceAll(pattern, '')),
    text,
  )
}

/** Words that begin a translator's note, in the languages of models and of subtitles. */
const noteWords = [
  ...[
    String.raw`(?:translator|translation|trans(?:l|lation)?\.?|tl)(?:['’]?s)?\s{1,9}notes?`,
    'notes?',
    't/?n',
  ],
  ...[
    '(?:译者|翻译|譯者|翻譯)?(?:注|註)(?:释|釋|解)?',
    '译注',
    '譯註',
    '译者按',
    '譯者按',
    '备注',
    '備註',
    '说明',
    '說明',
  ],
  ...['訳者?注', '訳者?註', '注記', '注釈', '역주', '역자\\s{0,9}주', '옮긴이\\s{0,9}주', '참고', '주'],
  ...[String.raw`n\.?\s?d\.?\s?t\.?`, 'note du traducteur', String.raw`n\.?\s?(?:del|do)\s+t\.?`],
  ...['notas? del traductor', 'notas? (?:do|da) tradutora?', 'notas?', String.raw`n\.\s?t\.`],
  ...[
    String.raw`прим(?:ечание|\.)?\s{0,9}(?:пер(?:еводчика|ев\.|\.)?)?`,
    String.raw`anm(?:erkung)?\.?\s{0,9}(?:(?:des übersetzers|der übersetzerin|d\.\s?ü\.)\s?)?`,
    'catatan(?: penerjemah)?',
    'nota penterjemah',
    'หมายเหตุ',
    'ملاحظة',
    'chú thích',
    'ghi chú',
    'lời người dịch',
  ],
].join('|')

const noteStart = `(?:${noteWords})\\s{0,9}[:：]`
/**
 * A note in brackets; these may contain one level of others. Its length is limited, and so is that of spaces, so that the
 * time of a search grows with the text and not with its square.
 */
const bracketedNote = new RegExp(
  String.raw`(?:\(\s?${noteStart}(?:[^()]|\([^()]{0,999}\)){0,999}\)|（\s?${noteStart}(?:[^（）]|（[^（）]{0,999}）){0,999}）|[\[【〔]\s?${noteStart}[^\]】〕]{0,999}[\]】〕])`,
  'giu',
)
/** A note that begins a line or follows a sentence, up to the end of the text. */
const openNote = new RegExp(
  String.raw`(?:^|\n|(?<=[.!?。！？…”"»」]))\s{0,9}[*※(（\[【]{0,9}\s{0,9}(?:${noteStart}|※)[\s\S]*$`,
  'iu',
)
const anyNote = new RegExp(`(?:^|[^\\p{L}])(?:${noteStart}|※)`, 'iu')

/** Removes notes, unless the source has one. Without brackets, "Note: ..." may be the translation of a source with a colon. */
function removeNotes(source: string, text: string): string {
  if (anyNote.test(source)) return text
  const left = text.replaceAll(bracketedNote, '')
  return /[:：]/.test(source) ? left : left.replace(openNote, '')
}
