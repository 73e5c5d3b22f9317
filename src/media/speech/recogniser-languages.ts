/** Names that Whisper and its kin use beside the usual ones. */
const languageAliases: Readonly<Record<string, string>> = {
  burmese: 'my',
  castilian: 'es',
  flemish: 'nl',
  'haitian creole': 'ht',
  letzeburgesch: 'lb',
  mandarin: 'zh',
  moldavian: 'ro',
  myanmar: 'my',
  norwegian: 'no',
  nynorsk: 'nn',
  panjabi: 'pa',
  pushto: 'ps',
  sinhalese: 'si',
  tagalog: 'tl',
  valencian: 'ca',
}

/** ISO 639 codes by the English names of their languages, in lower case. */
let languageCodes: ReadonlyMap<string, string> | undefined

/** The ISO 639 code of a language that an engine names in English or by a code; what is unknown stays as it is. */
export function normalizeLanguage(named: string): string {
  const name = named.trim().toLowerCase()
  if (/^[a-z]{2,3}([-_].*)?$/.test(name)) return name.replace(/[-_].*$/, '')
  languageCodes ??= buildLanguageCodes()
  return languageAliases[name] ?? languageCodes.get(name) ?? name
}

function buildLanguageCodes(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const two = letters.flatMap((first) => letters.map((second) => first + second))
  // The last one of a name counts: the codes of two letters.
  return new Map(
    ['yue', 'haw', ...two].flatMap((code) => {
      const name = names.of(code)
      return name === undefined ? [] : [[name.toLowerCase(), code] as const]
    }),
  )
}

/** How recognisers call a language that the contract writes like `en-US`. */
export function recogniserLanguage(language: string): string {
  const [code = ''] = language.toLowerCase().split('-')
  // Whisper's name for Filipino.
  return code === 'fil' ? 'tl' : code
}

/** The first of Whisper's tokens that name languages, which follow one another in this order. */
const firstLanguageToken = 50_259

/** Whisper's languages, by ISO 639 where that has them; the last one only its later models know. */
const whisperLanguages =
  `en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml
  cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi
  lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue`.split(/\s+/u)

/** Tokens of the models before the last language came. */
const tokensWithoutCantonese = 51_865

/** The token that a transcript starts with. */
export const startOfTranscriptToken = firstLanguageToken - 1

/** How likely each language is, the likeliest first, by what the model expects after the start. */
export function languageProbabilities(
  expected: ArrayLike<number>,
): { language: string; probability: number }[] {
  const known = expected.length > tokensWithoutCantonese ? whisperLanguages : whisperLanguages.slice(0, -1)
  const scores = known.map((_, index) => Number(expected[firstLanguageToken + index]))
  const highest = Math.max(...scores)
  const weights = scores.map((score) => Math.exp(score - highest))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return known
    .map((language, index) => ({ language, probability: (weights[index] ?? 0) / sum }))
    .toSorted((one, other) => other.probability - one.probability)
}
