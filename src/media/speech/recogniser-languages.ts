/** Alternative language names used by Whisper. */
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

/** ISO 639 code of a language given by its English name or a code; unknown names are returned in lower case. */
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
  // Later entries replace earlier ones, so that two-letter codes win.
  return new Map(
    ['yue', 'haw', ...two].flatMap((code) => {
      const name = names.of(code)
      return name === undefined ? [] : [[name.toLowerCase(), code] as const]
    }),
  )
}

/** Recogniser's code of a contract language such as `en-US`. */
export function recogniserLanguage(language: string): string {
  const [code = ''] = language.toLowerCase().split('-')
  // Whisper calls Filipino Tagalog.
  return code === 'fil' ? 'tl' : code
}

/** Whisper's first language token; the others follow in the order of `whisperLanguages`. */
const firstLanguageToken = 50_259

/** Whisper's languages, mostly ISO 639 codes; only later models know the last one. */
const whisperLanguages =
  `en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml
  cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi
  lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue`.split(/\s+/u)

/** Vocabulary size of the models without Cantonese. */
const tokensWithoutCantonese = 51_865

/** Token that starts a transcript. */
export const startOfTranscriptToken = firstLanguageToken - 1

/** Probability of each language, most likely first: softmax of the logits of the first token. */
export function languageProbabilities(
  logits: ArrayLike<number>,
): { language: string; probability: number }[] {
  const known = logits.length > tokensWithoutCantonese ? whisperLanguages : whisperLanguages.slice(0, -1)
  const scores = known.map((_, index) => Number(logits[firstLanguageToken + index]))
  const highest = Math.max(...scores)
  const weights = scores.map((score) => Math.exp(score - highest))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return known
    .map((language, index) => ({ language, probability: (weights[index] ?? 0) / sum }))
    .toSorted((one, other) => other.probability - one.probability)
}
