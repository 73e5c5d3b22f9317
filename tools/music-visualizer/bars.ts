import { bandLevelAt } from '../../src/media/audio/moments.ts'
import { clampToFrame, type CreateTemplate, type Scene } from './scene.ts'
import { drawTitle } from './words.ts'

/** Where the bars stand. */
function layOutBars({ width, height, unit, margin }: Scene) {
  const room = width - 2.4 * margin
  const count = Math.min(64, Math.max(8, Math.round(room / (0.034 * unit))))
  const pitch = room / count
  const base = height * 0.6
  return {
    left: (width - room) / 2,
    count,
    pitch,
    bar: pitch * 0.58,
    base,
    tallest: Math.min(height * 0.4, 0.62 * unit),
  }
}

/** Height of the reflection as a share of the bar's, and how strong it begins. */
const reflection = { height: 0.42, alpha: 0.3 }

/** Rounded bars on a polished floor. */
export const bars: CreateTemplate = (scene) => {
  const spare = scene.drawing.createCanvas(1, 1).getContext('2d')
  const { unit, width, height, palette } = scene
  const { left, count, pitch, bar, base, tallest } = layOutBars(scene)
  const gap = 0.012 * unit
  const deep = reflection.height * tallest
  const columns = Array.from({ length: count }, (_, index) => {
    const place = (index + 0.5) / count
    const fade = spare.createLinearGradient(0, base + gap, 0, base + gap + deep)
    fade.addColorStop(0, palette.css(place, reflection.alpha))
    fade.addColorStop(1, palette.css(place, 0))
    return { place, colour: palette.css(place), fade, x: left + index * pitch + (pitch - bar) / 2 }
  })
  return {
    region: clampToFrame(scene, {
      x: left - 2,
      y: base - tallest - bar - 2,
      width: width - 2 * left + 4,
      height: tallest + bar + gap + deep + 4,
    }),
    drawStill(pen) {
      const size = 0.058 * unit
      // Below the floor; in tall results not farther down, where players put their controls.
      const y = Math.min(height - scene.margin - 0.9 * size, base + gap + deep + 1.6 * size)
      return drawTitle(pen, scene, {
        ...{ x: width / 2, y, width: width - 2 * scene.margin },
        ...{ align: 'center', size },
      })
    },
    drawMoving(pen, { bands }) {
      for (const { place, colour, fade, x } of columns) {
        const tall = bar + tallest * bandLevelAt(bands, place)
        pen.fillStyle = colour
        pen.beginPath()
        pen.roundRect(x, base - tall, bar, tall, bar / 2)
        pen.fill()
        pen.fillStyle = fade
        pen.beginPath()
        pen.roundRect(x, base + gap, bar, Math.min(deep, tall), bar / 2)
        pen.fill()
      }
    },
  }
}
