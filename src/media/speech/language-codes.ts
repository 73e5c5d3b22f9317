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
