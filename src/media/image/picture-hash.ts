/** Cells of a picture that are compared, across and down. */
const [columns, rows] = [9, 8] as const

/** A picture as RGBA, row by row; at least one pixel. */
interface HashedPicture {
  readonly width: number
  readonly height: number
  readonly bytes: Uint8Array
}

/**
 * Returns a perceptual hash of a picture without regard to its shape: 64 bits, each whether a cell is brighter than its left
 * neighbour (difference hash, Krawetz 2013), then the mean red, green and blue; as 22 hex digits. The mean distinguishes flat
 * pictures.
 */
export function pictureHash(picture: HashedPicture): string {
  const means = cellMeans(picture)
  const lumas = means.map(([red = 0, green = 0, blue = 0]) => 0.299 * red + 0.587 * green + 0.114 * blue)
  let bits = 0n
  for (const [at, luma] of lumas.entries()) {
    if (at % columns === 0) continue
    bits = (bits << 1n) | (luma > (lumas[at - 1] ?? 0) + minStep ? 1n : 0n)
  }
  const colour = [0, 1, 2].map((channel) => {
    const mean = means.reduce((sum, cell) => sum + (cell[channel] ?? 0), 0) / means.length
    return Math.round(mean).toString(16).padStart(2, '0')
  })
  return [bits.toString(16).padStart(16, '0'), ...colour].join('')
}

/** Returns the mean red, green and blue of each cell, row by row, 0 to 255. */
function cellMeans({ width, height, bytes }: HashedPicture): number[][] {
  const cells = Array.from({ length: columns * rows }, () => ({ sums: [0, 0, 0], count: 0 }))
  // Of small pictures, each cell has at least one pixel.
  const [across, down] = [Math.max(width, columns), Math.max(height, rows)]
  for (let y = 0; y < down; y += 1) {
    for (let x = 0; x < across; x += 1) {
      const cell = cells[Math.floor((y * rows) / down) * columns + Math.floor((x * columns) / across)]
      const at = 4 * (Math.floor((y * height) / down) * width + Math.floor((x * width) / across))
      if (!cell) continue
      cell.count += 1
      for (let channel = 0; channel < 3; channel += 1)
        cell.sums[channel] = (cell.sums[channel] ?? 0) + (bytes[at + channel] ?? 0)
    }
  }
  return cells.map(({ sums, count }) => sums.map((sum) => sum / count))
}

/** Smaller differences are noise of a codec. */
const minStep = 2

/** Most bits and largest difference of mean colours, 0 to 255, between two copies of a picture. */
const maxDifferentBits = 5
const maxColourDifference = 20

/** Whether two hashes are those of copies of a picture: scaled, encoded again or slightly changed. */
export function isNearDuplicate(one: string, other: string): boolean {
  for (let at = 16; at < 22; at += 2) {
    const [mean, otherMean] = [one, other].map((hash) => Number.parseInt(hash.slice(at, at + 2), 16))
    if (Math.abs((mean ?? 0) - (otherMean ?? 0)) > maxColourDifference) return false
  }
  let different = 0
  for (let at = 0; at < 16; at += 8) {
    const [part, otherPart] = [one, other].map((hash) => Number.parseInt(hash.slice(at, at + 8), 16))
    different += countBits((part ?? 0) ^ (otherPart ?? 0))
  }
  return different <= maxDifferentBits
}

function countBits(value: number): number {
  let count = 0
  for (let left = value >>> 0; left > 0; left >>>= 1) count += left & 1
  return count
}
