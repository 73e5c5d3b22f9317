import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { manifest } from '../src/engines/packs/manifest.ts'
import { configurePacks } from '../src/engines/packs/resolve.ts'
import { basicPitchFrames, openBasicPitchModel } from '../src/engines/piano/basic-pitch.ts'
import { onsetFeatures, onsetPeak, velocityScale } from '../src/media/piano/onset-classifier.ts'
import { RecentFrames } from '../src/media/piano/frames.ts'
import { keyCount, lowestKey } from '../src/media/piano/note.ts'
import { frameSeconds } from '../src/media/piano/note-tracker.ts'
import { conditions, type Condition } from '../test/piano/recording-conditions.ts'
import { fit, type Example } from './fit-network.ts'
import { clipsOf, singleChunk, type Clip } from './piano-clips.ts'

// Fits the onset classifier (src/media/piano/onset-weights.ts) on generated pieces. Use other SoundFonts and
// seeds than bench/piano.ts.
// npm run bench -- piano-fit <folder of models> <seeds, such as 1,2,3> <SoundFont[#program]> ...

const [models = '', pieces = '', ...soundFonts] = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'bench-piano-'))
process.env['ORT_DISABLE_TELEMETRY'] = '1'
configurePacks({ folder: join(folder, 'packs'), automatic: true, mirror: models, own: {}, manifest })
const signal = new AbortController().signal

/** Maximum offset between an onset and its note, seconds. Slightly less than the tolerance of the score. */
const maxOffset = 0.045

/** Returns one example per onset candidate of the model, with the velocity of its note if there is one. */
async function examplesOf(
  { truth, sound }: Clip,
  model: Awaited<ReturnType<typeof openBasicPitchModel>>,
): Promise<Example[]> {
  const frames = new RecentFrames(sound.length)
  for await (const frame of basicPitchFrames(model, singleChunk(sound), { signal })) frames.push(frame)
  const examples: { -readonly [field in keyof Example]: Example[field] }[] = []
  for (let key = 0; key < keyCount; key += 1) {
    const candidates = Array.from({ length: frames.count }, (_, at) => ({
      at,
      moment: onsetPeak(frames, at, key),
    })).flatMap(({ at, moment }) =>
      moment === null ? [] : [{ at, start: frameSeconds(moment), velocity: null as number | null }],
    )
    for (const { pitch, start, velocity } of truth.notes) {
      if (pitch !== key + lowestKey) continue
      const matching = candidates.filter(
        (rise) => rise.velocity === null && Math.abs(rise.start - start) <= maxOffset,
      )
      const rank = ({ at, start: found }: (typeof candidates)[number]) =>
        (frames.at(at).onsets[key] ?? 0) - 4 * Math.abs(found - start)
      const [best] = matching.toSorted((one, other) => rank(other) - rank(one))
      if (best) best.velocity = velocity
    }
    for (const { at, velocity } of candidates) {
      const spans = velocity === null ? null : (velocity - velocityScale.middle) / velocityScale.span
      examples.push({ features: Float32Array.from(onsetFeatures(frames, at, key)), value: spans })
    }
  }
  return examples
}

const examples: Example[] = []
try {
  const model = await openBasicPitchModel(1, signal)
  for (const soundFont of soundFonts) {
    const conditionNames = Object.keys(conditions) as Condition[]
    for await (const clip of clipsOf({
      soundFont,
      pieces: pieces.split(','),
      conditionNames,
    })) {
      examples.push(...(await examplesOf(clip, model)))
    }
    console.log(`${soundFont}: ${examples.length} examples`)
  }
  await model[Symbol.asyncDispose]()
} finally {
  await rm(folder, { recursive: true, force: true })
}

const { inputs, neurons, hidden, output } = fit(examples, { neurons: 32, epochs: 10 })
const base64 = (values: Float32Array) => {
  const lines =
    Buffer.from(values.buffer)
      .toString('base64')
      .match(/.{1,104}/g) ?? []
  return lines.map((line) => `  '${line}',`).join('\n')
}
const text = `import type { OnsetWeights } from './onset-classifier.ts'

/** Decodes little-endian 32-bit floats from lines of base64. */
export function decodeFloats(lines: readonly string[]): Float32Array {
  const bytes = Uint8Array.from(atob(lines.join('')), (letter) => letter.codePointAt(0) ?? 0)
  const view = new DataView(bytes.buffer)
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => view.getFloat32(4 * at, true))
}

// Written by bench/piano-fit.ts on seeds ${pieces} of ${soundFonts.map((font) => basename(font)).join(', ')}.

/** Weights that estimate whether a key was struck, and its velocity. */
export const onsetWeights: OnsetWeights = {
  inputs: ${inputs},
  neurons: ${neurons},
  hidden: decodeFloats([
${base64(hidden)}
  ]),
  output: decodeFloats([
${base64(output)}
  ]),
}
`
await writeFile(join(import.meta.dirname, '../src/media/piano/onset-weights.ts'), text)
