import { readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import type { MediaFacts, Rational, VideoFacts } from '../../../src/contract/media-facts.ts'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { manifest } from '../../../src/engines/packs/manifest.ts'
import { configurePacks } from '../../../src/engines/packs/resolve.ts'
import {
  planReframe,
  type PlanReframeOptions,
  type ReframeResult,
} from '../../../src/engines/reframe/plan-reframe.ts'
import { constantRate } from '../../../src/media/frame-rate.ts'
import type { FrameSpan } from '../../../src/media/particle/frame-spans.ts'
import { artifactOf } from '../../packs/pack-fixtures.ts'
import { type JudgedFraming, judgeFraming } from '../../reframe/judge-framing.ts'
import { testdata } from '../ffmpeg/generate-media.ts'
import {
  type FilmedFace,
  filmedFaces,
  type FilmedShot,
  filmFaces,
  type FilmOptions,
  shotStarts,
} from './film-faces.ts'

/** Rate and size of films, and the canvas, unless others are given. */
export const rate25: Rational = { num: 25, den: 1 }
export const portrait = { width: 1080, height: 1920 }
export const wide = { width: 640, height: 360 }
/** A quarter of the pixels, for large faces. */
export const narrow = { width: 320, height: 180 }

/** Options of a plan; the ranges default to the whole video. */
export interface ReframeOptions extends Partial<Omit<PlanReframeOptions, 'file'>> {
  readonly ranges?: readonly FrameSpan[]
}

/** Facts of films by their paths. */
const known = new Map<string, Promise<MediaFacts>>()

function factsOf(path: string): Promise<MediaFacts> {
  const facts = known.get(path) ?? probe(path)
  known.set(path, facts)
  return facts
}

/** Paths of films, once they are written, by folder and name. */
const films = new Map<string, Promise<string>>()

/** Reframes a video for a portrait canvas. A path always names the same film. */
export async function reframe(
  path: string,
  { ranges, ...more }: ReframeOptions = {},
): Promise<ReframeResult & { readonly given: readonly FrameSpan[] }> {
  const facts = (await factsOf(path)) as MediaFacts & { readonly video: VideoFacts }
  const rate = constantRate(facts.video)
  const frames = Math.round((facts.video.duration_ms * rate.num) / rate.den / 1000)
  const given = ranges ?? [{ first: 0, end: frames }]
  const result = await planReframe(given, {
    file: { file_id: '1', name: 'video.mp4', kind: 'video', path, facts } as PlanReframeOptions['file'],
    ...{ rate, size: portrait, blurSigma: 40, steps: await mkdtemp(`${path}-steps-`), threads: 2 },
    ...{ signal: new AbortController().signal, progress: () => {} },
    ...more,
  })
  return { ...result, given }
}

/** A plan and how well it shows the faces. */
interface ReframedFilm extends ReframeResult {
  readonly judged: JudgedFraming
}

/** Films shots, reframes them, and judges the result. A name always names the same film, which is written once. */
export async function reframeFilm(
  shots: readonly FilmedShot[],
  film: Partial<FilmOptions> & { readonly folder: string; readonly name: string },
  options: ReframeOptions = {},
): Promise<ReframedFilm> {
  const complete = { rate: rate25, ...wide, ...film }
  const name = join(film.folder, film.name)
  const written = films.get(name) ?? filmFaces(film.folder, shots, complete)
  films.set(name, written)
  const result = await reframe(await written, options)
  const judged = judgeFraming(result.ranges, result.given, {
    source: { width: complete.width, height: complete.height },
    canvas: options.size ?? portrait,
    faces: filmedFaces(shots, complete),
    cuts: shotStarts(shots),
  })
  return { ...result, judged }
}

/** A face at a place in the upper part of the picture. */
export const face = (x: number, more: Partial<FilmedFace> = {}): FilmedFace => ({
  x,
  y: 0.4,
  width: 0.16,
  ...more,
})
/** Returns the first frame of each range. */
export const firsts = (ranges: readonly FrameSpan[]) => ranges.map(({ first }) => first)
/** Returns the mode of each range. */
export const modes = ({ ranges }: ReframeResult) => ranges.map(({ framing }) => framing.mode)

/** Faces on the left and on the right in turn: each cut needs another framing. */
export const sides = (lengths: readonly number[], more: Partial<FilmedShot> = {}): FilmedShot[] =>
  lengths.map((frames, index) => ({ frames, faces: [face(index % 2 === 0 ? 0.25 : 0.8)], ...more }))

/** Replaces the model of faces of this process by one of something else. */
export function useBrokenModel(folder: string): void {
  const file = 'squeezenet-fp16.onnx'
  const mirror = testdata('models') ?? ''
  const artifact = {
    ...artifactOf(file, readFileSync(join(mirror, file))),
    address: 'https://models.invalid/',
  }
  const broken = { ...manifest, 'face-detection': { ...manifest['face-detection'], artifact } }
  configurePacks({ folder: join(folder, 'broken'), automatic: true, mirror, own: {}, manifest: broken })
}
