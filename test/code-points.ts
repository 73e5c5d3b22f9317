import fc from 'fast-check'

/** Code points of surrogates, which are no characters. */
const surrogates = { first: 0xd800, count: 0x800 }

/**
 * Any code point, like the unit `binary` of `fc.string`, which builds a table of all code points at its first use. That takes
 * about a second.
 */
export const anyCodePoint = fc.nat(0x10_ffff - surrogates.count).map(
  (at) => String.fromCodePoint(at < surrogates.first ? at : at + surrogates.count),
  (value) => {
    const code = typeof value === 'string' ? (value.codePointAt(0) ?? NaN) : NaN
    const at = code < surrogates.first ? code : code - surrogates.count
    const isSurrogate = code >= surrogates.first && at < surrogates.first
    if (Number.isNaN(code) || isSurrogate || value !== String.fromCodePoint(code))
      throw new TypeError('not one code point')
    return at
  },
)
