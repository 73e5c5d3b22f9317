import type { Pen } from '../../src/engines/canvas/load.ts'
import { bandLevelAt, type AudioFeatures } from '../../src/media/audio/moments.ts'
import { clampToFrame, type CreateTemplate, type Scene } from './scene.ts'
import { drawTitle } from './words.ts'

/** Veils of light behind the bars: how tall, how strong, and over how much of the spectrum each is smoothed. */
const auroraVeils = [
  { tall: 1.55, alpha: 0.1, smooth: 0.09 },
  { tall: 1.2, alpha: 0.16, smooth: 0.045 },
] as const

/** Thin bars across the whole width, the deep tones in the middle, under a veil of light and a centred title. */
export const aurora: CreateTemplate = (scene) => {
  const { unit, width, height, palette } = scene
  const count = Math.min(360, Math.max(8, 2 * Math.round(width / (0.019 * unit))))
  const pitch = width / count
  const tallest = Math.min(0.2 * height, 0.3 * unit)
  const shortest = 0.004 * unit
  const top = height - (tallest + shortest) * 1.6
  const spare = scene.drawing.createCanvas(1, 1).getContext('2d')
  const painted = auroraVeils.map((veil) => ({
    ...veil,
    colours: palette.gradient(spare, [0, 0, width, 0], veil.alpha),
  }))
  // At whole pixels bars are sharp, and drawn several times as fast.
  const bars = Array.from({ length: count }, (_, index) => ({
    x: Math.round((index + 0.3) * pitch),
    colour: palette.css(index / (count - 1), 0.95),
    place: Math.abs((2 * (index + 0.5)) / count - 1),
  }))
  const thick = Math.max(1, Math.round(pitch * 0.4))
  return {
    region: clampToFrame(scene, { x: 0, y: top, width, height: height - top }),
    drawStill(pen) {
      const size = 0.078 * unit
      return drawTitle(pen, scene, {
        ...{ x: width / 2, y: height * 0.46, width: width - 3 * scene.margin },
        ...{ align: 'center', size },
      })
    },
    drawMoving(pen, { bands }) {
      for (const veil of painted) {
        pen.fillStyle = veil.colours
        drawAuroraVeil(pen, { bands, scene, tallest: tallest * veil.tall, smooth: veil.smooth })
      }
      for (const { x, colour, place } of bars) {
        const tall = shortest + tallest * bandLevelAt(bands, place)
        pen.fillStyle = colour
        pen.fillRect(x, height - tall, thick, tall)
      }
    },
  }
}

interface AuroraVeil extends Pick<AudioFeatures, 'bands'> {
  readonly scene: Pick<Scene, 'width' | 'height'>
  readonly tallest: number
  readonly smooth: number
}

const auroraPoints = 64

function drawAuroraVeil(pen: Pen, { bands, scene: { width, height }, tallest, smooth }: AuroraVeil): void {
  const tall = (index: number) => {
    const place = Math.abs((2 * index) / auroraPoints - 1)
    const near = [-1, -0.5, 0, 0.5, 1].map((step) => bandLevelAt(bands, Math.abs(place + step * smooth)))
    return height - (tallest * near.reduce((sum, level) => sum + level, 0)) / near.length
  }
  pen.beginPath()
  pen.moveTo(0, height)
  pen.lineTo(0, tall(0))
  for (let index = 0; index < auroraPoints; index += 1) {
    const [x, next] = [(index / auroraPoints) * width, ((index + 1) / auroraPoints) * width]
    const [y, after] = [tall(index), tall(index + 1)]
    pen.quadraticCurveTo(x, y, (x + next) / 2, (y + after) / 2)
  }
  pen.lineTo(width, tall(auroraPoints))
  pen.lineTo(width, height)
  pen.fill()
}
