/** A large picture that cameras of scenes view. Planes: luma, blue chroma and red chroma, all at full size. */
export interface World {
  readonly width: number
  readonly height: number
  readonly planes: readonly [Float32Array, Float32Array, Float32Array]
}

/** Creates a seeded generator of numbers from 0 to 1 (mulberry32). */
export function seededNumbers(seed: number): () => number {
  // Signed: larger numbers would be allocated at each call.
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Creates a photo-like picture: noise at every scale whose amplitude falls with frequency, and shapes with edges. */
export function createWorld(width: number, height: number, seed: number): World {
  const random = seededNumbers(seed)
  const luma = new Float32Array(width * height).fill(118)
  const blue = new Float32Array(width * height).fill(128)
  const red = new Float32Array(width * height).fill(128)
  for (let cell = 256, share = 34; cell >= 4; cell /= 2, share *= 0.62) {
    addNoise(luma, { width, height, cell, share, random })
  }
  addNoise(blue, { width, height, cell: 128, share: 14, random })
  addNoise(red, { width, height, cell: 160, share: 14, random })
  const world: World = { width, height, planes: [luma, blue, red] }
  const shapes = Math.round((width * height) / 16_000)
  for (let index = 0; index < shapes; index += 1) addShape(world, random)
  return world
}

interface Noise {
  readonly width: number
  readonly height: number
  /** Pixels between random values. */
  readonly cell: number
  /** Amplitude. */
  readonly share: number
  readonly random: () => number
}

function addNoise(plane: Float32Array, { width, height, cell, share, random }: Noise): void {
  const columns = Math.ceil(width / cell) + 2
  const lattice = Float32Array.from(
    { length: columns * (Math.ceil(height / cell) + 2) },
    () => (random() * 2 - 1) * share,
  )
  const smooth = Float32Array.from({ length: cell }, (_, index) => {
    const part = index / cell
    return part * part * (3 - 2 * part)
  })
  for (let y = 0; y < height; y += 1) {
    const down = smooth[y % cell] ?? 0
    const row = Math.floor(y / cell) * columns
    for (let x = 0; x < width; x += 1) {
      const at = row + Math.floor(x / cell)
      const along = smooth[x % cell] ?? 0
      const under = at + columns
      const top = between(lattice[at] ?? 0, lattice[at + 1] ?? 0, along)
      const value = between(top, between(lattice[under] ?? 0, lattice[under + 1] ?? 0, along), down)
      plane[y * width + x] = (plane[y * width + x] ?? 0) + value
    }
  }
}

function between(one: number, other: number, share: number): number {
  return one + (other - one) * share
}

/** Adds a random ellipse or rotated rectangle with an edge two pixels soft. */
function addShape({ width, height, planes }: World, random: () => number): void {
  const [x, y] = [random() * width, random() * height]
  const [long, short] = [12 + random() * 90, 6 + random() * 40]
  const angle = random() * Math.PI
  const isRound = random() < 0.5
  const tone = [(random() * 2 - 1) * 60, (random() * 2 - 1) * 30, (random() * 2 - 1) * 30]
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const reach = Math.ceil(Math.hypot(long, short)) + 2
  for (let row = Math.max(0, Math.floor(y - reach)); row < Math.min(height, y + reach); row += 1) {
    for (let column = Math.max(0, Math.floor(x - reach)); column < Math.min(width, x + reach); column += 1) {
      const along = ((column - x) * cos + (row - y) * sin) / long
      const across = ((row - y) * cos - (column - x) * sin) / short
      const out = isRound ? Math.hypot(along, across) : Math.max(Math.abs(along), Math.abs(across))
      const share = Math.min(1, Math.max(0, ((1 - out) * short) / 2 + 0.5))
      if (share === 0) continue
      const at = row * width + column
      for (const [axis, plane] of planes.entries()) {
        plane[at] = (plane[at] ?? 0) + (tone[axis] ?? 0) * share
      }
    }
  }
}
