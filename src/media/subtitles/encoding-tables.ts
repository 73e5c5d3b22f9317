/** Encodings that subtitle files come in; UTF-16 and UTF-8 with or without a byte order mark. */
export type Encoding =
  | 'utf-8'
  | 'utf-16le'
  | 'utf-16be'
  | 'gb18030'
  | 'big5'
  | 'shift_jis'
  | 'euc-jp'
  | 'euc-kr'
  | SingleByte

/** Encodings of one byte a character. */
export type SingleByte = `windows-125${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}`

/** First and last byte. */
export type Range = readonly [from: number, to: number]

/** Characters of two bytes: ranges of the first and second byte, and their share of usual text. */
export type Pairs = readonly (readonly [lead: Range, trail: Range, share: number])[]

/** Characters of one byte: a range and its share of usual text. */
export type Singles = readonly (readonly [range: Range, share: number])[]

const high: Range = [0xa1, 0xfe]

/** Rows and shares follow the standards' own order: first signs, then common characters, then rare ones. */
export const doubleByte: readonly (readonly [Encoding, RegExp, Pairs, Singles])[] = [
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

/** Scripts of one byte a letter; small letters before capitals, what is left for the rest of the page. */
export const alphabets: readonly (readonly [SingleByte, RegExp, Singles])[] = [
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

/** Latin letters with marks stand alone between plain ones. */
export const latin: Singles = [
  [[0xe0, 0xff], 0.8],
  [[0xc0, 0xdf], 0.12],
  [[0x80, 0xbf], 0.08],
]
