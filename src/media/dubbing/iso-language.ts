/** ISO 639-2/T codes by the primary subtag of a language, as mp4 stores them: of languages that voices speak. */
const codes: Readonly<Record<string, string>> = {
  ...{ af: 'afr', ar: 'ara', bg: 'bul', bn: 'ben', ca: 'cat', cs: 'ces', da: 'dan', de: 'deu', el: 'ell' },
  ...{ en: 'eng', es: 'spa', et: 'est', fa: 'fas', fi: 'fin', fil: 'fil', fr: 'fra', gu: 'guj', he: 'heb' },
  ...{ hi: 'hin', hr: 'hrv', hu: 'hun', id: 'ind', is: 'isl', it: 'ita', ja: 'jpn', kn: 'kan', ko: 'kor' },
  ...{ lt: 'lit', lv: 'lav', ml: 'mal', mr: 'mar', ms: 'msa', nb: 'nob', nl: 'nld', no: 'nor', pa: 'pan' },
  ...{ pl: 'pol', pt: 'por', ro: 'ron', ru: 'rus', sk: 'slk', sl: 'slv', sr: 'srp', sv: 'swe', sw: 'swa' },
  ...{ ta: 'tam', te: 'tel', th: 'tha', tl: 'tgl', tr: 'tur', uk: 'ukr', ur: 'urd', vi: 'vie', yue: 'yue' },
  zh: 'zho',
}

/** Returns the ISO 639-2 code of a language such as en-US, or `und` if it is unknown. zh-HK is Cantonese. */
export function isoLanguage(language: string): string {
  const [primary = ''] = language.toLowerCase().split('-')
  return language === 'zh-HK' ? 'yue' : (codes[primary] ?? 'und')
}
