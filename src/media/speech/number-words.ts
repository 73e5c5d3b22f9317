/**
 * What a word or character is in a number: a value from 0 to 19 or of tens; a multiplier within a thousand or ten
 * thousand, or a scale.
 */
export interface NumberWord {
  readonly kind: 'ones' | 'tens' | 'multiplier' | 'scale'
  readonly value: number
  /** Character of Chinese, Japanese or (converted) Korean. */
  readonly isCharacter?: true
  /** Tens that are followed by 10 to 19: soixante-dix. */
  readonly takesTeens?: true
  /** Is a number without another one before it: mille, cent, 十. */
  readonly isAlone?: true
}

const numberWords = new Map<string, NumberWord>()

/** Adds words; several of one value are separated by `|`. */
function addWords(
  words: string,
  values: (index: number) => Omit<NumberWord, 'kind'>,
  kind: NumberWord['kind'],
) {
  for (const [index, forms] of words.split(' ').entries())
    for (const form of forms.split('|')) numberWords.set(form, { kind, ...values(index) })
}

addWords(
  `zero|zéro one|first|un|une|premier|première two|second|deux|deuxième three|third|trois|troisième
  four|fourth|quatre|quatrième five|fifth|cinq|cinquième six|sixth|sixième seven|seventh|sept|septième
  eight|eighth|huit|huitième nine|ninth|neuf|neuvième ten|tenth|dix|dixième eleven|eleventh|onze|onzième
  twelve|twelfth|douze|douzième thirteen|thirteenth|treize fourteen|fourteenth|quatorze fifteen|fifteenth|quinze
  sixteen|sixteenth|seize seventeen|seventeenth eighteen|eighteenth nineteen|nineteenth`.replaceAll(
    /\s+/g,
    ' ',
  ),
  (value) => ({ value }),
  'ones',
)
addWords(
  `twenty|twentieth|vingt thirty|thirtieth|trente forty|fortieth|quarante fifty|fiftieth|cinquante sixty|sixtieth
  seventy|seventieth|septante eighty|eightieth|octante|huitante ninety|ninetieth|nonante`.replaceAll(
    /\s+/g,
    ' ',
  ),
  (index) => ({ value: 10 * (index + 2) }),
  'tens',
)
addWords('soixante', () => ({ value: 60, takesTeens: true }), 'tens')
addWords('hundred|cents', () => ({ value: 100 }), 'multiplier')
addWords('cent', () => ({ value: 100, isAlone: true }), 'multiplier')
addWords(
  'thousand million|millions billion|milliard|milliards trillion',
  (index) => ({ value: 1000 ** (index + 1) }),
  'scale',
)
addWords('mille', () => ({ value: 1000, isAlone: true }), 'scale')
addWords(
  '〇|零 一|壹 二|贰|貳|两|兩 三|叁 四|肆 五|伍 六|陆|陸 七|柒 八|捌 九|玖',
  (value) => ({ value, isCharacter: true }),
  'ones',
)
addWords('十|拾', () => ({ value: 10, isCharacter: true, isAlone: true }), 'multiplier')
addWords('百|佰 千|仟', (index) => ({ value: 10 ** (index + 2), isCharacter: true }), 'multiplier')
addWords('万|萬 亿|億 兆', (index) => ({ value: 10_000 ** (index + 1), isCharacter: true }), 'scale')

/** Returns the part that a word has in numbers of English, French, Chinese and Japanese; undefined if it has none. */
export function numberWord(text: string | undefined): NumberWord | undefined {
  return text === undefined ? undefined : numberWords.get(text)
}
