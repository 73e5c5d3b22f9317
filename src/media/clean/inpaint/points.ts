/** A part of a picture's brightness: its place there, and where it tells nothing. */
export interface Picture {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly data: Uint8Array
  /** 1 where a pixel is hidden. */
  readonly hidden: Uint8Array
}

/** Places of a picture with their brightness and how it rises to the right and downwards. */
export interface Points {
  readonly count: number
  readonly x: Float32Array
  readonly y: Float32Array
  readonly value: Float32Array
  readonly right: Float32Array
  readonly down: Float32Array
}

/**
 * Takes of each square of `cell` pixels the place where brightness changes most, if more than noise does; none that
 * is hidden, nor beside what is.
 */
export function pointsOf(
  picture: Picture,
  cell: number,
  isWanted: (x: number, y: number) => boolean = () => true,
): Points {
  const { x: left, y: top, width, height, data, hidden } = picture
  const found: number[] = []
  for (let y = 1; y + 1 < height; y += cell) {
    for (let x = 1; x + 1 < width; x += cell) {
      if (!isWanted(x, y)) continue
      let [best, place] = [36, -1]
      for (let row = y; row < Math.min(y + cell, height - 1); row += 1) {
        for (let at = row * width + x, end = row * width + Math.min(x + cell, width - 1); at < end; at += 1) {
          const along = (data[at + 1] ?? 0) - (data[at - 1] ?? 0)
          const down = (data[at + width] ?? 0) - (data[at - width] ?? 0)
          const change = along * along + down * down
          if (change <= best) continue
          if ((hidden[at - width - 1] ?? 1) + (hidden[at + width + 1] ?? 1) + (hidden[at] ?? 1) > 0) continue
          best = change
          place = at
        }
      }
      if (place >= 0) found.push(place)
    }
  }
  const every = Math.ceil(found.length / 2500)
  const kept = every > 1 ? found.filter((_, index) => index % every === 0) : found
  return {
    count: kept.length,
    x: Float32Array.from(kept, (at) => left + (at % width)),
    y: Float32Array.from(kept, (at) => top + Math.floor(at / width)),
    value: Float32Array.from(kept, (at) => data[at] ?? 0),
    right: Float32Array.from(kept, (at) => ((data[at + 1] ?? 0) - (data[at - 1] ?? 0)) / 2),
    down: Float32Array.from(kept, (at) => ((data[at + width] ?? 0) - (data[at - width] ?? 0)) / 2),
  }
}
