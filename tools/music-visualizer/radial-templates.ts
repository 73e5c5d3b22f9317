import type { Pen } from '../../src/engines/canvas/drawing.ts'
import { type AudioFeatures, bandLevelAt } from '../../src/media/audio/audio-features.ts'
import { recentBeats } from '../../src/media/audio/beat-detector.ts'
import type { Palette } from './palette.ts'
import {
  clampToFrame,
  type CreateTemplate,
  drawSceneText,
  drawTitle,
  isWide,
  rectAround,
  type Scene,
  textColours,
  timeLabels,
} from './scene.ts'

/** Bars around a circle, symmetric, from the lowest frequencies at the bottom to the highest at the top. Lengths in px. */
interface Rays {
  readonly x: number
  readonly y: number
  /** Radius at which the bars begin. */
  readonly radius: number
  /** Length added at full level. */
  readonly length: number
  /** Length at level 0. */
  readonly shortest: number
  readonly count: number
  /** Thickness of a bar as a share of the distance between two bars. */
  readonly share: number
}

/** Draws the bars of one moment, coloured by frequency. */
export function drawRays(
  pen: Pen,
  { bands }: Pick<AudioFeatures, 'bands'>,
  { palette, ...rays }: Rays & { palette: Palette },
): void {
  const { x, y, radius, length, shortest, count, share } = rays
  pen.save()
  pen.lineCap = 'round'
  pen.lineWidth = Math.max(0.5, ((2 * Math.PI * radius) / count) * share)
  const half = Math.floor(count / 2)
  for (let index = 0; index < half; index += 1) {
    const place = (index + 0.5) / half
    const end = radius + shortest + length * bandLevelAt(bands, place)
    pen.strokeStyle = palette.css(place)
    pen.beginPath()
    for (const side of [-1, 1]) {
      const [across, down] = [side * Math.sin(Math.PI * place), Math.cos(Math.PI * place)]
      pen.moveTo(x + across * radius, y + down * radius)
      pen.lineTo(x + across * end, y + down * end)
    }
    pen.stroke()
  }
  pen.restore()
}

/** Calls `draw` with the pen clipped to a circle. */
export function clipToCircle(
  pen: Pen,
  [x, y, radius]: readonly [number, number, number],
  draw: () => void,
): void {
  pen.save()
  pen.beginPath()
  pen.arc(x, y, radius, 0, 2 * Math.PI)
  pen.clip()
  draw()
  pen.restore()
}

/** Radii as shares of the shorter side. */
const ringRadii = { disc: 0.182, arc: 0.204, rays: 0.226, end: 0.338 }

/** Computes the positions of the ring and of the times, which are beside it in wide videos, else below. */
function layOutRing(scene: Scene) {
  const { width, height, unit } = scene
  const wide = isWide(scene)
  const [x, y] = [width / 2, height * (wide ? 0.425 : 0.41)]
  const aside = wide ? 0.46 * unit : 0.3 * unit
  return { x, y, aside, timeY: wide ? y + 0.012 * unit : y + (ringRadii.end + 0.055) * unit }
}

/** The spectrum around the cover, with elapsed and remaining time. */
export const ring: CreateTemplate = (scene) => {
  const { unit, width, height, palette } = scene
  const { x, y, aside, timeY } = layOutRing(scene)
  const reach = (ringRadii.end + 0.012) * unit
  return {
    region: clampToFrame(
      scene,
      rectAround(x, y, {
        across: Math.max(reach, aside + 0.1 * unit),
        down: Math.max(reach, timeY - y + 0.02 * unit),
      }),
    ),
    showsCover: true,
    drawStill(pen) {
      pen.save()
      pen.shadowColor = 'rgba(0,0,0,0.5)'
      pen.shadowBlur = 0.05 * unit
      pen.fillStyle = 'rgba(0,0,0,0.6)'
      pen.beginPath()
      pen.arc(x, y, ringRadii.disc * unit, 0, 2 * Math.PI)
      pen.fill()
      pen.restore()
      const side = 2 * ringRadii.disc * unit
      clipToCircle(pen, [x, y, ringRadii.disc * unit], () =>
        pen.drawImage(scene.cover, x - side / 2, y - side / 2, side, side),
      )
      pen.strokeStyle = textColours.faint
      pen.lineWidth = 0.004 * unit
      pen.beginPath()
      pen.arc(x, y, ringRadii.arc * unit, 0, 2 * Math.PI)
      pen.stroke()
      const size = 0.056 * unit
      const place = { x: width / 2, width: width - 2 * scene.margin, align: 'center', size } as const
      return drawTitle(pen, scene, {
        ...place,
        y: Math.min(isWide(scene) ? height : timeY + 0.16 * unit, height - scene.margin - 0.75 * size),
      })
    },
    drawMoving(pen, moment) {
      const rays = {
        radius: ringRadii.rays * unit,
        length: (ringRadii.end - ringRadii.rays - 0.008) * unit,
        shortest: 0.004 * unit,
      }
      drawRays(pen, moment, { x, y, ...rays, count: 152, share: 0.5, palette })
      pen.strokeStyle = palette.css(0)
      pen.lineWidth = 0.006 * unit
      pen.lineCap = 'round'
      pen.beginPath()
      const top = -Math.PI / 2
      pen.arc(x, y, ringRadii.arc * unit, top, top + 2 * Math.PI * Math.min(1, moment.time / scene.seconds))
      pen.stroke()
      const { passed, left } = timeLabels(scene, moment.time)
      const style = { size: 0.036 * unit, weight: 500, colour: textColours.soft } as const
      const place = { y: timeY, width: 0.2 * unit, align: 'center' } as const
      drawSceneText(pen, passed, { style, place: { ...place, x: x - aside } })
      drawSceneText(pen, left, { style, place: { ...place, x: x + aside } })
    },
  }
}

/** Radii as shares of the shorter side. */
const pulsarRadii = { core: 0.135, rays: 0.165, rayEnd: 0.33, end: 0.41 }

/** Duration of a beat's ring, seconds. */
const pulseSeconds = 1.1

/** Rays of the spectrum, a ring that expands on every beat, and the elapsed time in the middle. */
export const pulsar: CreateTemplate = (scene) => {
  const { unit, width, height, palette } = scene
  const [x, y] = [width / 2, height * 0.445]
  return {
    region: clampToFrame(scene, rectAround(x, y, { across: (pulsarRadii.end + 0.01) * unit })),
    drawStill(pen) {
      const size = 0.054 * unit
      const place = { x: width / 2, width: width - 2 * scene.margin, align: 'center', size } as const
      const below = y + (pulsarRadii.end + 0.05) * unit
      return drawTitle(pen, scene, {
        ...place,
        y: Math.min(below + 0.6 * size, height - scene.margin - 0.75 * size),
      })
    },
    drawMoving(pen, moment) {
      for (const beat of recentBeats(scene.profile.beats, moment.time, pulseSeconds)) {
        drawPulse(pen, scene, { x, y, age: moment.time - beat.at, strength: beat.strength })
      }
      const glow = pen.createRadialGradient(x, y, 0, x, y, pulsarRadii.core * unit * (1 + 0.12 * moment.bass))
      glow.addColorStop(0, palette.css(0, 0.1 + 0.24 * moment.bass))
      glow.addColorStop(0.7, palette.css(0.4, 0.06 + 0.14 * moment.bass))
      glow.addColorStop(1, palette.css(0.6, 0))
      pen.fillStyle = glow
      pen.beginPath()
      pen.arc(x, y, pulsarRadii.core * unit * (1 + 0.12 * moment.bass), 0, 2 * Math.PI)
      pen.fill()
      const rays = {
        radius: pulsarRadii.rays * unit,
        length: (pulsarRadii.rayEnd - pulsarRadii.rays) * unit,
        shortest: 0.003 * unit,
      }
      drawRays(pen, moment, { x, y, ...rays, count: 180, share: 0.36, palette })
      const style = { size: 0.078 * unit, weight: 600, colour: textColours.strong } as const
      const place = { x, y: y + 0.028 * unit, width: 1.9 * pulsarRadii.core * unit, align: 'center' } as const
      drawSceneText(pen, timeLabels(scene, moment.time).passed, { style, place })
    },
  }
}

interface Pulse {
  readonly x: number
  readonly y: number
  readonly age: number
  readonly strength: number
}

function drawPulse(pen: Pen, { unit, palette }: Scene, { x, y, age, strength }: Pulse): void {
  const passed = Math.max(0, age) / pulseSeconds
  const out = 1 - (1 - passed) ** 2.4
  pen.strokeStyle = palette.css(out, (0.35 + 0.55 * strength) * Math.max(0, 1 - passed) ** 1.4)
  pen.lineWidth = (0.0085 - 0.0065 * out) * unit
  pen.beginPath()
  pen.arc(x, y, (pulsarRadii.rays + (pulsarRadii.end - pulsarRadii.rays) * out) * unit, 0, 2 * Math.PI)
  pen.stroke()
}
