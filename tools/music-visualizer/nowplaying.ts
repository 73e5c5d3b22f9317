import type { Pen } from '../../src/engines/canvas/drawing.ts'
import { bandLevelAt, type AudioFeatures } from '../../src/media/audio/audio-features.ts'
import {
  clampToFrame,
  type CreateTemplate,
  drawSceneText,
  drawTitle,
  type Scene,
  textColours,
  timeLabels,
} from './scene.ts'

/** Height at the bottom of a tall video that players cover with controls, as a share of height minus width. */
const playerControls = 0.3

function layOutCard({ width, height, unit, margin }: Scene) {
  const card = { width: Math.min(width - 2 * margin, 1.02 * unit), height: 0.28 * unit }
  const x = margin
  // In tall videos, keep the card above the player's controls.
  const y = height - Math.max(margin, playerControls * (height - width)) - card.height
  const pad = 0.032 * unit
  const thumb = card.height - 2 * pad
  const left = x + pad + thumb + 1.1 * pad
  return { card: { x, y, ...card }, pad, thumb, left, right: x + card.width - 1.2 * pad }
}

/** A card in the corner with cover, title, thin bars and progress. */
export const nowplaying: CreateTemplate = (scene) => {
  const { unit } = scene
  const { card, pad, thumb, left, right } = layOutCard(scene)
  const line = card.y + card.height - pad - 0.034 * unit
  return {
    region: clampToFrame(scene, {
      x: left - 2,
      y: line - 0.072 * unit,
      width: right - left + 4,
      height: 0.122 * unit,
    }),
    showsCover: true,
    drawStill(pen) {
      drawCard(pen, scene)
      pen.save()
      pen.beginPath()
      pen.roundRect(card.x + pad, card.y + pad, thumb, thumb, 0.018 * unit)
      pen.clip()
      pen.drawImage(scene.cover, card.x + pad, card.y + pad, thumb, thumb)
      pen.restore()
      const size = 0.046 * unit
      return drawTitle(pen, scene, {
        x: left,
        y: card.y + pad + 0.78 * size,
        width: right - left,
        align: 'left',
        size,
      })
    },
    drawMoving(pen, moment) {
      drawThinBars(pen, { moment, scene, left, right, base: line - 0.022 * unit })
      drawProgress(pen, { moment, scene, left, right, line })
    },
  }
}

function drawCard(pen: Pen, scene: Scene): void {
  const { card } = layOutCard(scene)
  const round = 0.034 * scene.unit
  pen.save()
  pen.shadowColor = 'rgba(0,0,0,0.4)'
  pen.shadowBlur = 0.04 * scene.unit
  pen.shadowOffsetY = 0.012 * scene.unit
  pen.fillStyle = 'rgba(14,15,22,0.72)'
  pen.beginPath()
  pen.roundRect(card.x, card.y, card.width, card.height, round)
  pen.fill()
  pen.restore()
  pen.strokeStyle = 'rgba(255,255,255,0.1)'
  pen.lineWidth = Math.max(1, 0.0014 * scene.unit)
  pen.beginPath()
  pen.roundRect(card.x, card.y, card.width, card.height, round)
  pen.stroke()
}

interface BarRow {
  readonly moment: AudioFeatures
  readonly scene: Scene
  readonly left: number
  readonly right: number
}

function drawThinBars(pen: Pen, { moment, scene, left, right, base }: BarRow & { base: number }): void {
  const { unit, palette } = scene
  const count = Math.max(8, Math.round((right - left) / (0.0085 * unit)))
  const pitch = (right - left) / count
  const tallest = 0.044 * unit
  pen.fillStyle = palette.gradient(pen, [left, 0, right, 0])
  pen.beginPath()
  for (let index = 0; index < count; index += 1) {
    const tall = 0.003 * unit + tallest * bandLevelAt(moment.bands, (index + 0.5) / count)
    pen.rect(left + index * pitch, base - tall, pitch * 0.5, tall)
  }
  pen.fill()
}

function drawProgress(pen: Pen, { moment, scene, left, right, line }: BarRow & { line: number }): void {
  const { unit, palette, seconds } = scene
  const thick = 0.005 * unit
  const reached = (right - left) * Math.min(1, moment.time / seconds)
  for (const [width, colour] of [
    [right - left, textColours.faint],
    [Math.max(thick, reached), palette.css(0)],
  ] as const) {
    pen.fillStyle = colour
    pen.beginPath()
    pen.roundRect(left, line, width, thick, thick / 2)
    pen.fill()
  }
  const { passed, all } = timeLabels(scene, moment.time)
  const style = { size: 0.025 * unit, weight: 500, colour: textColours.soft } as const
  const y = line + 0.036 * unit
  drawSceneText(pen, passed, { style, place: { x: left, y, width: right - left, align: 'left' } })
  drawSceneText(pen, all, { style, place: { x: right, y, width: right - left, align: 'right' } })
}
