import { replace } from './natives.js'

/** Replaces chance by numbers that follow from the frame's name, which is its particle's. */
export function tameChance() {
  let state = 2_166_136_261
  for (const character of window.name) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16_777_619)
  // mulberry32
  const random = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  replace(Math, { random })
  replace(Crypto.prototype, {
    getRandomValues: (/** @type {Uint8Array} */ array) => {
      const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
      for (let at = 0; at < bytes.length; at += 1) bytes[at] = random() * 256
      return array
    },
  })
}
