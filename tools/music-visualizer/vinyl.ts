import type { Pen } from '../../src/engines/canvas/drawing.ts'
import { drawRays, clipToCircle } from './radial-templates.ts'
import { clampToFrame, type CreateTemplate, drawTitle, isWide, rectAround } from './scene.ts'

/** Radii as shares of the shorter side. */
const vinylRadii = { hole: 0.009, label: 0.142, disc: 0.315, rays: 0.326, end: 0.405 }

/** Rotation of a long-playing record: 33 1/3 turns per minute, as turns per second. */
const turnsPerSecond = 100 / 3 / 60

/** The cover on a spinning record, with the spectrum around it. */
export const vinyl: CreateTemplate = (scene) => {
  const { width, height, palette, margin } = scene
  const wide = isWide(scene)
  // In a square video, the record is smaller to leave space for the text below.
  const unit = wide || isWide({ width: height, height: width }) ? scene.unit : 0.88 * scene.unit
  const x = wide ? Math.max(margin + vinylRadii.end * unit, width * 0.31) : width / 2
  const y = height * (wide ? 0.5 : 0.42)
  const label = vinylRadii.label * unit
  return {
    region: clampToFrame(scene, rectAround(x, y, { across: (vinylRadii.end + 0.01) * unit })),
    showsCover: true,
    drawStill(pen) {
      drawDisc(pen, { x, y, unit })
      const size = 0.066 * scene.unit
      if (wide) {
        const left = x + (vinylRadii.end + 0.06) * unit
        return drawTitle(pen, scene, {
          x: left,
          y: y + 0.02 * unit,
          width: width - margin - left,
          align: 'left',
          size,
        })
      }
      const below = y + (vinylRadii.end + 0.07) * unit
      const place = { x, width: width - 2 * margin, align: 'center', size } as const
      return drawTitle(pen, scene, {
        ...place,
        y: Math.min(below + 0.4 * size, height - margin - 0.75 * size),
      })
    },
    drawMoving(pen, moment) {
      const rays = {
        radius: vinylRadii.rays * unit,
        length: (vinylRadii.end - vinylRadii.rays) * unit,
        shortest: 0.003 * unit,
      }
      drawRays(pen, moment, { x, y, ...rays, count: 200, share: 0.42, palette })
      pen.save()
      pen.translate(x, y)
      pen.rotate(2 * Math.PI * turnsPerSecond * moment.time)
      clipToCircle(pen, [0, 0, label], () => pen.drawImage(scene.cover, -label, -label, 2 * label, 2 * label))
      pen.restore()
      pen.fillStyle = '#0b0b0e'
      pen.beginPath()
      pen.arc(x, y, vinylRadii.hole * unit, 0, 2 * Math.PI)
      pen.fill()
    },
  }
}

/** Draws the record without its label. It is still, because grooves look the same at every angle and the light does not turn. */
function drawDisc(pen: Pen, { x, y, unit }: { x: number; y: number; unit: number }): void {
  const disc = vinylRadii.disc * unit
  pen.save()
  pen.shadowColor = 'rgba(0,0,0,0.55)'
  pen.shadowBlur = 0.06 * unit
  pen.shadowOffsetY = 0.015 * unit
  pen.fillStyle = '#0c0c10'
  pen.beginPath()
  pen.arc(x, y, disc, 0, 2 * Math.PI)
  pen.fill()
  pen.restore()
  const sheen = pen.createConicGradient(0.35 * Math.PI, x, y)
  for (const [at, alpha] of [
    [0, 0.015],
    [0.1, 0.17],
    [0.2, 0.015],
    [0.5, 0.015],
    [0.6, 0.13],
    [0.7, 0.015],
    [1, 0.015],
  ] as const) {
    sheen.addColorStop(at, `rgba(255,255,255,${alpha})`)
  }
  pen.fillStyle = sheen
  pen.beginPath()
  pen.arc(x, y, disc, 0, 2 * Math.PI)
  pen.fill()
  drawGrooves(pen, { x, y, unit })
}

/** Gaps between tracks, as shares of the distance from label to rim. */
const trackGaps = [0.3, 0.56, 0.78]

function drawGrooves(pen: Pen, { x, y, unit }: { x: number; y: number; unit: number }): void {
  const count = 44
  for (let index = 1; index < count; index += 1) {
    const share = index / count
    const pause = trackGaps.some((at) => Math.abs(share - at) < 0.6 / count)
    pen.strokeStyle = pause
      ? 'rgba(255,255,255,0.09)'
      : index % 2
        ? 'rgba(255,255,255,0.028)'
        : 'rgba(0,0,0,0.3)'
    pen.lineWidth = (pause ? 0.0022 : 0.0014) * unit
    pen.beginPath()
    pen.arc(x, y, (vinylRadii.label + (vinylRadii.disc - vinylRadii.label) * share) * unit, 0, 2 * Math.PI)
    pen.stroke()
  }
  pen.strokeStyle = 'rgba(255,255,255,0.14)'
  pen.lineWidth = 0.0016 * unit
  for (const radius of [vinylRadii.disc - 0.001, vinylRadii.label + 0.001]) {
    pen.beginPath()
    pen.arc(x, y, radius * unit, 0, 2 * Math.PI)
    pen.stroke()
  }
}
