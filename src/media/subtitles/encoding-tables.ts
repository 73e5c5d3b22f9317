import iconv from 'iconv-lite'

/** Encodings of subtitle files that are supported; those of Unicode with or without a byte order mark. */
export type Encoding =
  | 'utf-8'
  | 'utf-16le'
  | 'utf-16be'
  | 'utf-32le'
  | 'utf-32be'
  | 'gb18030'
  | 'big5'
  | 'shift_jis'
  | 'euc-jp'
  | 'euc-kr'
  | SingleByteEncoding

/** Encodings of one byte per character. */
type SingleByteEncoding = `windows-125${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}`

/** First and last byte of a range. */
export type ByteValueRange = readonly [from: number, to: number]

/** Characters of two bytes: ranges of the lead and trail byte, and the share of usual text that they make up. */
export type PairShares = readonly (readonly [lead: ByteValueRange, trail: ByteValueRange, share: number])[]

/** Characters of one byte: a range, and the share of usual text that it makes up. */
export type ByteShares = readonly (readonly [range: ByteValueRange, share: number])[]

const high: ByteValueRange = [0xa1, 0xfe]

/**
 * Encodings of two bytes per character, with the languages written in them. Rows follow the order of the standards:
 * signs, common characters, rare characters.
 */
export const doubleByteModels: readonly (readonly [Encoding, RegExp, PairShares, ByteShares])[] = [
  [
    'gb18030',
    /^zh/,
    [
      [[0xa1, 0xa3], high, 0.15],
      [[0xb0, 0xd7], high, 0.83],
      [[0xd8, 0xf7], high, 0.012],
      [[0x81, 0xfe], [0x40, 0x7e], 0.003],
      [[0x81, 0xfe], [0x80, 0xfe], 0.004],
    ],
    [],
  ],
  [
    'big5',
    /^zh/,
    [
      [[0xa1, 0xa3], [0x40, 0x7e], 0.1],
      [[0xa1, 0xa3], high, 0.05],
      [[0xa4, 0xc6], [0x40, 0x7e], 0.33],
      [[0xa4, 0xc6], high, 0.5],
      [[0xc9, 0xf9], [0x40, 0x7e], 0.006],
      [[0xc9, 0xf9], high, 0.009],
      [[0x81, 0xfe], [0x40, 0x7e], 0.0005],
      [[0x81, 0xfe], high, 0.0005],
    ],
    [],
  ],
  [
    'shift_jis',
    /^ja/,
    [
      [[0x81, 0x81], [0x40, 0xac], 0.12],
      [[0x82, 0x82], [0x9f, 0xf1], 0.5],
      [[0x83, 0x83], [0x40, 0x96], 0.1],
      [[0x88, 0x97], [0x40, 0x7e], 0.1],
      [[0x88, 0x97], [0x80, 0xfc], 0.16],
      [[0x81, 0x9f], [0x40, 0xfc], 0.01],
      [[0xe0, 0xfc], [0x40, 0xfc], 0.005],
    ],
    [[[0xa1, 0xdf], 0.002]],
  ],
  [
    'euc-jp',
    /^ja/,
    [
      [[0xa1, 0xa1], high, 0.12],
      [[0xa4, 0xa4], [0xa1, 0xf3], 0.5],
      [[0xa5, 0xa5], [0xa1, 0xf6], 0.1],
      [[0xb0, 0xcf], high, 0.26],
      [[0xa2, 0xfe], high, 0.018],
      [[0x8e, 0x8e], [0xa1, 0xdf], 0.002],
    ],
    [],
  ],
  [
    'euc-kr',
    /^ko/,
    [
      [[0xa1, 0xa1], high, 0.04],
      [[0xb0, 0xc8], high, 0.94],
      [[0xa2, 0xfd], high, 0.01],
      [[0x81, 0xc6], [0x41, 0x5a], 0.002],
      [[0x81, 0xc6], [0x61, 0x7a], 0.002],
      [[0x81, 0xc6], [0x81, 0xfe], 0.006],
    ],
    [],
  ],
]

/** Alphabets other than Latin, with the languages written in them: small letters, capitals, then all other bytes. */
export const singleByteModels: readonly (readonly [SingleByteEncoding, RegExp, ByteShares])[] = [
  [
    'windows-1251',
    /^(ru|uk|bg|sr|be|mk)/,
    [
      [[0xe0, 0xff], 0.87],
      [[0xc0, 0xdf], 0.09],
      [[0x80, 0xbf], 0.04],
    ],
  ],
  [
    'windows-1253',
    /^el/,
    [
      [[0xe1, 0xfe], 0.83],
      [[0xdc, 0xdf], 0.1],
      [[0xc1, 0xd9], 0.05],
      [[0x80, 0xff], 0.02],
    ],
  ],
  [
    'windows-1255',
    /^(he|yi)/,
    [
      [[0xe0, 0xfa], 0.96],
      [[0x80, 0xff], 0.04],
    ],
  ],
  [
    'windows-1256',
    /^(ar|fa|ur)/,
    [
      [[0xc1, 0xed], 0.95],
      [[0x80, 0xff], 0.05],
    ],
  ],
]

/** Latin letters with marks, which usually occur between ASCII letters. */
export const latinLetterShares: ByteShares = [
  [[0xe0, 0xff], 0.8],
  [[0xc0, 0xdf], 0.12],
  [[0x80, 0xbf], 0.08],
]

/** A page of Latin letters. */
export interface LatinPage {
  readonly encoding: SingleByteEncoding
  readonly languages: RegExp
  /** For each language, or group of similar ones, the bytes beyond ASCII that its text usually contains. */
  readonly alphabets: readonly (readonly number[])[]
}

/** Signs beyond ASCII that text of most languages contains; all pages have them in the same places. */
const commonSigns = '…‘’“”–—«»'

function latinPage(encoding: SingleByteEncoding, languages: RegExp, alphabets: readonly string[]): LatinPage {
  return {
    ...{ encoding, languages },
    alphabets: alphabets.map((letters) => {
      const bytes = iconv.encode(commonSigns + letters + letters.toUpperCase(), encoding)
      return [...new Set(bytes.filter((byte) => byte >= 0x80))]
    }),
  }
}

/** The pages of Latin letters. The first one wins where several fit equally well. */
export const latinPages: readonly LatinPage[] = [
  latinPage('windows-1252', /^(en|fr|es|pt|de|it|nl|sv|da|nb|no|fi|is|ca|id|ms|fil)/, [
    'éèêëïñ',
    'àâçéèêëîïôœùû',
    'áéíóúñ¿¡',
    'áâãàçéêíóôõú',
    'äöüß',
    'àèéìòù',
    'åäöæøé',
  ]),
  latinPage('windows-1250', /^(cs|pl|hu|sk|sl|hr|ro|sq|bs)/, [
    'ąćęłńóśźż',
    'áčďéěíňóřšťúůýž',
    'áäčďéíĺľňóôŕšťúýž',
    'áéíóöőúüű',
    'ăâîşţ',
    'čćđšž',
  ]),
  latinPage('windows-1254', /^(tr|az)/, ['çğıöşüâİ']),
  latinPage('windows-1257', /^(lt|lv|et)/, ['ąčęėįšųūž', 'āčēģīķļņšūž', 'äõöüšž']),
  latinPage('windows-1258', /^vi/, ['àâăéèêíôơóòùưúýđ']),
]
