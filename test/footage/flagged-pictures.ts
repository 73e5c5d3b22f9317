import { createCanvas, type Canvas, ImageData, type SKRSContext2D } from '@napi-rs/canvas'
import { createWorld, seededNumbers } from './world.ts'

/** What is true of a generated picture. */
interface PictureTruth {
  readonly watermark: boolean
  readonly text_overlay: boolean
  readonly black_border: boolean
  readonly blurry: boolean
  /** Kinds of what was added, in the words of the answers to `describe_images`. */
  readonly added: readonly string[]
  /** How it was made, for reports. */
  readonly made: readonly string[]
}

/** A generated picture as JPEG or PNG. */
export interface FlaggedPicture {
  readonly bytes: Buffer
  readonly truth: PictureTruth
}

const sizes: readonly (readonly [number, number])[] = [
  [640, 480],
  [1280, 720],
  [720, 1280],
  [960, 960],
  [480, 640],
  [1024, 576],
]

/** Longest side at which blur is stated, px. */
const statedSide = 768

type Random = () => number

function between(random: Random, least: number, most: number): number {
  return least + (most - least) * random()
}

function oneOf<T>(random: Random, values: readonly T[]): T {
  const value = values[Math.floor(random() * values.length)]
  if (value === undefined) throw new Error('no values')
  return value
}

/**
 * Creates a photo-like picture with a border, blur, overlays or none of them, the same for an index. Some have letters on
 * objects of the scene, noise, darkness or smooth areas, which are no defects.
 */
export function createFlaggedPicture(index: number): FlaggedPicture {
  const random = seededNumbers(index * 7919 + 11)
  const [width, height] = oneOf(random, sizes)
  const made: string[] = []
  const flags = { hasBorder: random() < 0.35, isBlurry: random() < 0.35 }
  let canvas = drawScene({ width, height }, { random, seed: index, made })
  if (flags.isBlurry) canvas = blurred(canvas, random, made)
  const added: string[] = []
  const box = flags.hasBorder ? addBorder(canvas, random, made) : { x: 0, y: 0, width, height }
  if (random() < 0.3) added.push(addOverlay(canvas, box, random))
  if (random() < 0.3) added.push(addMark(canvas, box, random))
  const quality = Math.round(between(random, 72, 95))
  const isPng = random() < 0.25
  return {
    bytes: isPng ? canvas.toBuffer('image/png') : canvas.toBuffer('image/jpeg', quality),
    truth: {
      watermark: added.some((kind) => ['logo', 'text_mark'].includes(kind)),
      text_overlay: added.some((kind) => !['logo', 'text_mark'].includes(kind)),
      ...{ black_border: flags.hasBorder, blurry: flags.isBlurry, added },
      made: [...made, ...added, `${width}x${height}`, isPng ? 'png' : `jpeg ${quality}`],
    },
  }
}

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Draws a part of a world as a camera sees it: exposed, with a smooth area, letters on a sign, and noise. */
function drawScene(
  { width, height }: Pick<Box, 'width' | 'height'>,
  { random, seed, made }: { readonly random: Random; readonly seed: number; readonly made: string[] },
): Canvas {
  const { planes } = createWorld(width, height, seed + 1)
  const gain = oneOf(random, [1, 1, 1, 0.55, 0.35])
  const image = new ImageData(width, height)
  for (let at = 0; at < width * height; at += 1) {
    const luma = gain * ((planes[0][at] ?? 0) - 16) * 1.164
    const [blue, red] = [gain * ((planes[1][at] ?? 0) - 128), gain * ((planes[2][at] ?? 0) - 128)]
    image.data[at * 4] = luma + 1.79 * red
    image.data[at * 4 + 1] = luma - 0.21 * blue - 0.53 * red
    image.data[at * 4 + 2] = luma + 2.11 * blue
    image.data[at * 4 + 3] = 255
  }
  const canvas = createCanvas(width, height)
  const pen = canvas.getContext('2d')
  pen.putImageData(image, 0, 0)
  if (random() < 0.4) addSky(pen, { x: 0, y: 0, width, height: height * between(random, 0.2, 0.5) }, random)
  if (random() < 0.3) made.push(addSign(canvas, random))
  const noise = oneOf(random, [0, 1.5, 3, 6])
  addNoise(pen, { width, height }, { deviation: noise, random })
  made.push(`gain ${gain}`, `noise ${noise}`)
  return canvas
}

/** A smooth sky over an uneven horizon; at times as bright as the sensor shows. */
function addSky(pen: SKRSContext2D, { width, height }: Box, random: Random): void {
  const light = oneOf(random, [100, 80, 8])
  const sky = pen.createLinearGradient(0, 0, 0, height)
  sky.addColorStop(0, `hsl(210 40% ${light}%)`)
  sky.addColorStop(1, `hsl(210 30% ${Math.min(100, light + 4)}%)`)
  pen.fillStyle = sky
  pen.beginPath()
  pen.moveTo(0, 0)
  pen.lineTo(width, 0)
  for (let x = width; x >= 0; x -= width / 24) pen.lineTo(x, height * between(random, 0.75, 1))
  pen.lineTo(0, height * 0.8)
  pen.fill()
}

const font = (size: number) => `600 ${Math.round(size)}px "DejaVu Sans", "Droid Sans Fallback", sans-serif`

/** A tilted board with letters, which belongs to the scene. */
function addSign(canvas: Canvas, random: Random): string {
  const pen = canvas.getContext('2d')
  const size = canvas.width * between(random, 0.04, 0.08)
  pen.save()
  pen.translate(canvas.width * between(random, 0.3, 0.6), canvas.height * between(random, 0.4, 0.7))
  pen.transform(1, between(random, -0.2, 0.2), between(random, -0.2, 0.2), 1, 0, 0)
  pen.fillStyle = `hsl(${Math.round(360 * random())} 45% 35%)`
  pen.fillRect(-3 * size, -size, 6 * size, 2 * size)
  pen.fillStyle = 'rgb(228 222 205)'
  pen.font = font(size)
  pen.textAlign = 'center'
  pen.textBaseline = 'middle'
  pen.fillText(oneOf(random, ['OPEN', '书店 12', 'Bakery']), 0, 0)
  pen.restore()
  return 'sign'
}

function addNoise(
  pen: SKRSContext2D,
  { width, height }: Pick<Box, 'width' | 'height'>,
  { deviation, random }: { readonly deviation: number; readonly random: Random },
): void {
  if (deviation === 0) return
  const image = pen.getImageData(0, 0, width, height)
  for (let at = 0; at < image.data.length; at += 4) {
    // The sum of three uniform numbers has a deviation of 0.5.
    const grain = 2 * deviation * (random() + random() + random() - 1.5)
    for (let channel = 0; channel < 3; channel += 1)
      image.data[at + channel] = (image.data[at + channel] ?? 0) + grain
  }
  pen.putImageData(image, 0, 0)
}

/** Out of focus, or moved; of the sharp picture's noise a part remains. */
function blurred(canvas: Canvas, random: Random, made: string[]): Canvas {
  const { width, height } = canvas
  const unit = Math.max(1, Math.max(width, height) / statedSide)
  const copy = createCanvas(width, height)
  const pen = copy.getContext('2d')
  if (random() < 0.65) {
    const radius = unit * between(random, 2.4, 8)
    pen.filter = `blur(${radius.toFixed(2)}px)`
    // Drawn larger than the picture, as a blur is transparent at the edges.
    const margin = Math.ceil(3 * radius)
    pen.drawImage(canvas, -margin, -margin, width + 2 * margin, height + 2 * margin)
    pen.filter = 'none'
    made.push(`blur ${(radius / unit).toFixed(1)} of ${statedSide}`)
  } else {
    const length = Math.round(unit * between(random, 14, 32))
    const isDown = random() < 0.3
    for (let step = 0; step <= length; step += 1) {
      pen.globalAlpha = 1 / (step + 1)
      const shift = step - length / 2
      const stretch = length + 2
      if (isDown) pen.drawImage(canvas, 0, shift - stretch / 2, width, height + stretch)
      else pen.drawImage(canvas, shift - stretch / 2, 0, width + stretch, height)
    }
    pen.globalAlpha = 1
    made.push(`motion ${Math.round(length / unit)} ${isDown ? 'down' : 'across'}`)
  }
  addNoise(pen, { width, height }, { deviation: oneOf(random, [0, 1, 3]), random })
  return copy
}

/** Bars at two sides, or a frame: black, nearly black or of one colour. Returns the box of the picture inside. */
function addBorder(canvas: Canvas, random: Random, made: string[]): Box {
  const { width, height } = canvas
  const share = between(random, 0.03, 0.28)
  const form = oneOf(random, ['letterbox', 'pillarbox', 'letterbox', 'pillarbox', 'frame'])
  const colour = oneOf(random, ['#000', '#000', '#0a0a0a', '#101010', '#fff', '#234'])
  const [x, y] = [form === 'letterbox' ? 0 : share * width, form === 'pillarbox' ? 0 : share * height]
  const scale = form === 'frame' ? 0.5 : 1
  const [left, top] = [Math.round(x * scale), Math.round(y * scale)]
  const pen = canvas.getContext('2d')
  pen.fillStyle = colour
  pen.fillRect(0, 0, width, top)
  pen.fillRect(0, height - top, width, top)
  pen.fillRect(0, 0, left, height)
  pen.fillRect(width - left, 0, left, height)
  made.push(`${form} ${(scale * share).toFixed(3)} ${colour}`)
  return { x: left, y: top, width: width - 2 * left, height: height - 2 * top }
}

/** Adds subtitles, a title, a time code or a recording interface. Returns its kind. */
function addOverlay(canvas: Canvas, box: Box, random: Random): string {
  const pen = canvas.getContext('2d')
  const kind = oneOf(random, ['subtitle', 'text', 'timecode', 'interface'])
  const size = Math.max(14, canvas.width * between(random, 0.03, 0.05))
  const [middle, bottom] = [canvas.width / 2, canvas.height * 0.92]
  pen.textAlign = 'center'
  pen.textBaseline = 'middle'
  pen.font = font(kind === 'text' ? 1.6 * size : size)
  pen.fillStyle = oneOf(random, ['white', '#ffe94a', 'white'])
  pen.strokeStyle = 'black'
  pen.lineWidth = size / 7
  pen.lineJoin = 'round'
  const write = (text: string, x: number, y: number) => {
    pen.strokeText(text, x, y)
    pen.fillText(text, x, y)
  }
  if (kind === 'subtitle') write(oneOf(random, ['我们明天再说吧', 'I never said that']), middle, bottom)
  else if (kind === 'text') write(oneOf(random, ['旅行日记', 'DAY ONE']), middle, canvas.height * 0.2)
  else if (kind === 'timecode')
    write(`00:0${Math.floor(9 * random())}:17:04`, middle, canvas.height * between(random, 0.1, 0.9))
  else {
    pen.fillStyle = 'red'
    pen.beginPath()
    pen.arc(box.x + 1.5 * size, box.y + 1.5 * size, size / 2, 0, 7)
    pen.fill()
    pen.strokeStyle = 'white'
    pen.lineWidth = 3
    pen.strokeRect(box.x + box.width / 3, box.y + box.height / 3, box.width / 3, box.height / 3)
  }
  return kind
}

/** Adds a platform's badge, or a name in a corner. Returns its kind. */
function addMark(canvas: Canvas, box: Box, random: Random): string {
  const pen = canvas.getContext('2d')
  const size = Math.max(14, canvas.width * between(random, 0.022, 0.035))
  const [x, y] = [
    box.x + (random() < 0.5 ? 5 * size : box.width - 5 * size),
    box.y + (random() < 0.5 ? 1.4 * size : box.height - 1.4 * size),
  ]
  pen.save()
  pen.globalAlpha = between(random, 0.65, 1)
  const kind = oneOf(random, ['text_mark', 'logo'])
  pen.textAlign = 'center'
  pen.textBaseline = 'middle'
  pen.font = font(size)
  pen.fillStyle = 'white'
  pen.shadowColor = 'black'
  pen.shadowBlur = 2
  if (kind === 'text_mark') pen.fillText(oneOf(random, ['@clip_studio', 'stockphoto.com', '@小城故事']), x, y)
  else {
    pen.beginPath()
    pen.arc(x, y, 1.2 * size, 0, 7)
    pen.fill()
    pen.fillStyle = '#d22'
    pen.beginPath()
    pen.moveTo(x - 0.4 * size, y - 0.6 * size)
    pen.lineTo(x + 0.7 * size, y)
    pen.lineTo(x - 0.4 * size, y + 0.6 * size)
    pen.fill()
  }
  pen.restore()
  return kind
}
