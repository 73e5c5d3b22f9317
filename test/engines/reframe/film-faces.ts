import { join } from 'node:path'
import type { Rational } from '../../../src/contract/media-facts.ts'
import { formatRate, frameTime } from '../../../src/media/frame-rate.ts'
import type { Point, Size } from '../../../src/media/geometry.ts'
import { seededNumbers } from '../../footage/world.ts'
import { generateMedia, h264, testdata } from '../ffmpeg/generate-media.ts'

/** Faces of the group photograph that are alone in their rectangle: centre and width of the rectangle, pixels. */
const portraits = [
  { x: 674, y: 220, width: 46 },
  { x: 320, y: 232, width: 46 },
  { x: 95, y: 247, width: 46 },
  { x: 243, y: 232, width: 46 },
] as const

/** A face of the photograph that moves over a scene. All lengths are shares of the picture's width or height. */
export interface FilmedFace {
  readonly x: number
  readonly y: number
  /** Width of the rectangle around the face. */
  readonly width: number
  /** Moves so far to both sides of its place, in so many seconds there and back. Default: it stays. */
  readonly swing?: number
  readonly period?: number
  /** Seconds of the shot in which it is seen. Default: all. */
  readonly seen?: readonly [from: number, to: number]
}

/** A shot of faces over a generated scene. */
export interface FilmedShot {
  readonly frames: number
  readonly faces: readonly FilmedFace[]
  /** Frames over which the shot before dissolves into this one, around its start. Default: a hard cut. */
  readonly dissolve?: number
}

export interface FilmOptions extends Size {
  readonly name: string
  readonly rate: Rational
  /** Factor of the brightness. Default: 1. */
  readonly light?: number
  /** Filters of the whole picture, and options of the output. */
  readonly filters?: readonly string[]
  readonly output?: readonly string[]
}

/** Whether the photograph and the model of faces are available. */
export const hasFaces = testdata('image') !== undefined && testdata('models') !== undefined

/** Writes shots as `name`.mp4. Returns its path. */
export async function filmFaces(
  folder: string,
  shots: readonly FilmedShot[],
  { name, rate, width, height, light = 1, filters = [], output = [] }: FilmOptions,
): Promise<string> {
  const graph: string[] = []
  const labels = shots.map(({ frames, faces, dissolve = 0 }, index) => {
    const following = shots[index + 1]?.dissolve ?? 0
    const total = frames + dissolve / 2 + following / 2
    graph.push(
      // One picture, repeated: drawing each frame would take most of the time.
      `${sceneOf(index, { rate, width, height })},trim=end_frame=1,format=yuv420p,loop=-1:1:0,trim=end_frame=${total},setpts=N/(${formatRate(rate)})/TB[s${index}]`,
    )
    let label = `s${index}`
    for (const [at, face] of faces.entries()) {
      const next = `s${index}f${at}`
      graph.push(
        ...overlay(face, {
          from: label,
          to: next,
          number: at + index,
          width,
          height,
          shift: frameTime(dissolve / 2, rate),
        }),
      )
      label = next
    }
    return { label, total }
  })
  let [joined, length] = [labels[0]?.label ?? '', labels[0]?.total ?? 0]
  for (const [index, { label, total }] of labels.entries()) {
    if (index === 0) continue
    const dissolve = shots[index]?.dissolve ?? 0
    const clock = `settb=${rate.den}/${rate.num},setpts=N,fps=${formatRate(rate)}`
    graph.push(
      dissolve > 0
        ? `[${joined}]${clock}[a${index}];[${label}]${clock}[b${index}];[a${index}][b${index}]xfade=duration=${frameTime(dissolve, rate)}:offset=${frameTime(length - dissolve, rate)}[j${index}]`
        : `[${joined}][${label}]concat=n=2:v=1[j${index}]`,
    )
    joined = `j${index}`
    length += total - dissolve
  }
  const last = [`lutyuv=y=16+(val-16)*${light}:u=128+(val-128)*${light}:v=128+(val-128)*${light}`, ...filters]
  graph.push(`[${joined}]${last.join(',')}[v]`)
  return await generateMedia(join(folder, `${name}.mp4`), [
    ...['-i', join(testdata('image') ?? '', 'faces.jpg'), '-filter_complex', graph.join(';'), '-map', '[v]'],
    ...['-r', formatRate(rate), ...h264, '-crf', '18', '-g', '100', ...output],
  ])
}

/** Returns the source of the picture behind the faces of a shot: a gradient of six colours under a grid. */
function sceneOf(
  shot: number,
  { rate, width, height }: Pick<FilmOptions, 'rate' | 'width' | 'height'>,
): string {
  const random = seededNumbers(shot + 1)
  const colour = () => Math.floor(random() * 2 ** 24).toString(16)
  const colours = Array.from({ length: 6 }, (_, at) => `c${at}=0x${colour().padStart(6, '0')}`)
  const type = ['linear', 'radial'][shot % 2]
  const gradient = `gradients=s=${width}x${height}:rate=${formatRate(rate)}:seed=${7 * shot + 3}:nb_colors=6:${colours.join(':')}:type=${type}`
  return `${gradient},drawgrid=w=${60 + 14 * shot}:h=${50 + 22 * shot}:c=gray@0.5:t=3`
}

/** Returns the filters that put a face on a picture. */
function overlay(
  { x, y, width: share, swing = 0, period = 1, seen }: FilmedFace,
  {
    from,
    to,
    number,
    width,
    height,
    shift,
  }: Size & { readonly from: string; readonly to: string; readonly number: number; readonly shift: number },
): string[] {
  const portrait = portraits[number % portraits.length] ?? portraits[0]
  const side = 2 * Math.round((share * width) / 2)
  const crop = `[0:v]crop=${portrait.width}:${portrait.width}:${portrait.x - portrait.width / 2}:${portrait.y - portrait.width / 2}`
  const time = `(t-${shift})`
  const path = `${x * width - side / 2}+${swing * width}*sin(2*PI*${time}/${period})`
  const enable = seen ? `:enable='between(${time},${seen[0]},${seen[1]})'` : ''
  return [
    `${crop},scale=${side}:${side}:flags=lanczos,format=yuv420p[${to}p]`,
    `[${from}][${to}p]overlay=x='${path}':y=${y * height - side / 2}${enable}[${to}]`,
  ]
}

/** Returns the first frames of all shots but the first. */
export function shotStarts(shots: readonly FilmedShot[]): number[] {
  let start = 0
  return shots.slice(0, -1).map(({ frames }) => (start += frames))
}

/** Returns the centres of the faces that a frame of the film shows. */
export function filmedFaces(
  shots: readonly FilmedShot[],
  { rate, width, height }: Pick<FilmOptions, 'rate' | 'width' | 'height'>,
): (frame: number) => Point[] {
  return (frame) => {
    const starts = [0, ...shotStarts(shots)]
    const index = starts.findLastIndex((start) => start <= frame)
    const time = frameTime(frame - (starts[index] ?? 0), rate)
    return (shots[index]?.faces ?? []).flatMap(({ x, y, swing = 0, period = 1, seen }) =>
      seen && (time < seen[0] || time > seen[1])
        ? []
        : [{ x: (x + swing * Math.sin((2 * Math.PI * time) / period)) * width, y: y * height }],
    )
  }
}
