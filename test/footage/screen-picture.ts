import { createCanvas, type Canvas } from '@napi-rs/canvas'
import { seededNumbers } from './world.ts'

const words = [
  'File',
  'Edit',
  'settings',
  'const value',
  'return null',
  'Inbox (3)',
  'Monday',
  'Reply',
  '设置',
  '保存',
]

/** Creates a picture of a screen of 1280 × 720 px as JPEG: windows, icons and lines of text. blur: σ, px; 0 for none. */
export function createScreenPicture(seed: number, blur: number): Buffer {
  const random = seededNumbers(seed + 500)
  const [width, height] = [1280, 720]
  const canvas = createCanvas(width, height)
  const pen = canvas.getContext('2d')
  const isDark = random() < 0.5
  const fill = (colour: string, x: number, y: number, w: number, h: number) => {
    pen.fillStyle = colour
    pen.fillRect(x, y, w, h)
  }
  fill(isDark ? '#1e1e1e' : '#f4f4f6', 0, 0, width, height)
  fill(isDark ? '#333' : '#dde', 0, 0, width, 40)
  fill(isDark ? '#333' : '#dde', 0, 40, 180 + 80 * random(), height)
  for (let windows = Math.floor(3 * random()); windows > 0; windows -= 1)
    fill(isDark ? '#252540' : '#fff', 250 + 300 * random(), 80 + 200 * random(), 400, 250)
  for (let icon = 0; icon < 8; icon += 1) {
    pen.fillStyle = `hsl(${360 * random()} 60% 50%)`
    pen.beginPath()
    pen.arc(30, 80 + 60 * icon, 14, 0, 7)
    pen.fill()
  }
  const size = 13 + 8 * random()
  pen.font = `${size}px "DejaVu Sans Mono", "Droid Sans Fallback"`
  pen.fillStyle = isDark ? '#ddd' : '#222'
  const word = () => words[Math.floor(random() * words.length)] ?? ''
  for (let y = 70; y < height - 20; y += 1.6 * size) {
    pen.fillText(word(), 60, y)
    const line = Array.from({ length: 1 + Math.floor(6 * random()) }, word).join(' ')
    if (random() < 0.8) pen.fillText(line, 290 + 40 * Math.floor(3 * random()), y)
  }
  return (blur === 0 ? canvas : blurred(canvas, blur)).toBuffer('image/jpeg', 88)
}

function blurred(canvas: Canvas, radius: number): Canvas {
  const copy = createCanvas(canvas.width, canvas.height)
  const pen = copy.getContext('2d')
  pen.filter = `blur(${radius}px)`
  // Drawn larger than the picture, as a blur is transparent at the edges.
  const margin = Math.ceil(3 * radius)
  pen.drawImage(canvas, -margin, -margin, canvas.width + 2 * margin, canvas.height + 2 * margin)
  return copy
}
