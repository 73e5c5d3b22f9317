import { lazy } from '../platform/cache.ts'

const englishNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/** Codes of the contract whose meaning differs from what Intl names: spoken Cantonese, and scripts of Chinese. */
const ownNames: Readonly<Record<string, string>> = {
  'zh-HK': 'Cantonese',
  'zh-CHS': 'simplified Chinese',
  'zh-CHT': 'traditional Chinese',
}

/** Codes by names that Intl does not use, and codes of other systems; lower case. The first offered code is meant. */
const otherNames: ReadonlyMap<string, readonly string[]> = new Map(
  (
    [
      [['mandarin', 'chinese', 'zh', 'cmn', 'chi', 'zho'], ['zh-CN']],
      [
        ['simplified chinese', 'chinese simplified', 'chinese (simplified)', 'zh-hans', 'zh-sg'],
        ['zh-CHS', 'zh-CN'],
      ],
      [
        ['traditional chinese', 'chinese traditional', 'chinese (traditional)', 'zh-hant', 'zh-tw'],
        ['zh-CHT'],
      ],
      [['cantonese', 'yue', 'yue-hk'], ['zh-HK']],
    ] as const
  ).flatMap(([names, codes]) => names.map((name): [string, readonly string[]] => [name, codes])),
)

/** ISO 639-1 codes by English name, lower case. */
const codesByName = lazy((): ReadonlyMap<string, string> => {
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const codes = letters.flatMap((first) => letters.map((second) => first + second))
  return new Map(
    codes.flatMap((code) => {
      const name = englishNames.of(code)
      return name === undefined ? [] : [[name.toLowerCase(), code] as const]
    }),
  )
})

/** Longest text that is read as a language, characters. */
const maxLanguageLength = 40

/** ISO 639-1 code of a language that a text names, such as "German", "de" or "de-AT"; undefined for other texts. */
function languageCode(text: string): string | undefined {
  if (text.length > maxLanguageLength) return undefined
  const plain = text.trim().toLowerCase()
  const code = codesByName().get(plain) ?? /^([a-z]{2})(?:[-_][a-z\d]+)*$/.exec(plain)?.[1]
  return code !== undefined && englishNames.of(code) !== undefined ? code : undefined
}

/**
 * The offered code that a text names without a region, such as en-US for "English" and "en". A text with another
 * region or a language that is not offered returns undefined: another code is not a substitute.
 */
export function offeredLanguage(text: string, offered: readonly string[]): string | undefined {
  const plain = text.trim().toLowerCase().replaceAll('_', '-')
  const same = offered.find((code) => code.toLowerCase() === plain)
  const other = otherNames.get(plain)?.find((code) => offered.includes(code))
  if (same !== undefined || other !== undefined || otherNames.has(plain)) return same ?? other
  if (/^[a-z]{2}-/.test(plain)) return undefined
  const code = languageCode(text)
  return code === undefined ? undefined : offered.find((one) => one.startsWith(`${code}-`))
}

/** States that a language is not offered, and lists those that are, by code and name. */
export function languageHint(text: string, offered: readonly string[]): string {
  const list = offered.map((code) => `${code} (${languageName(code)})`).join(', ')
  const code = languageCode(text)
  const name = code === undefined ? undefined : englishNames.of(code)
  if (name === undefined) return `Use one of ${list}.`
  const related = offered.filter((one) => one.startsWith(`${code}-`))
  const nearby =
    related.length > 0 ? ` Of this language, only ${related.join(', ')} is offered; it may differ.` : ''
  const shown = related.length > 0 ? text.trim() : name
  return `${shown} is not offered, so tell the user.${nearby} Offered: ${list}.`
}

function languageName(code: string): string {
  return ownNames[code] ?? englishNames.of(code.slice(0, 2)) ?? code
}
