import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { LoudnessMeter, TruePeakMeter } from '../../src/media/audio/loudness.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { ffmpeg } from '../video-split-screen/media.ts'

const folder = await scratchFolder()
const program = process.env['REELWRIGHT_FFMPEG'] ?? 'ffmpeg'

it.each([
  ['a tone', 'aevalsrc=0.3*sin(2000*PI*t)|0.1*sin(700*PI*t):s=48000:d=4'],
  [
    'noise with a pause',
    "anoisesrc=r=48000:a=0.3:d=6:seed=1,lowpass=f=8000,volume='if(between(t,2,4),0.001,1)':eval=frame,aformat=channel_layouts=stereo",
  ],
  [
    'peaks between samples',
    'aevalsrc=0.7*sin(24000*PI*t+PI/4)|0.5*sin(24000*PI*t+PI/4):s=48000:d=1,afade=d=0.2',
  ],
])('loudness and true peak match those measured by ffmpeg: %s', async (name, source) => {
  const path = join(folder, `${name}.wav`)
  await ffmpeg('-f', 'lavfi', '-i', source, '-c:a', 'pcm_f32le', path)
  const filter = ['-af', 'ebur128=peak=true', '-f', 'null', '-']
  const { stderr } = await promisify(execFile)(program, ['-nostdin', '-i', path, ...filter])
  const summary = stderr.slice(stderr.lastIndexOf('Summary'))
  const [expectedLoudness, expectedPeak] = [/I:\s+(-?[\d.]+)/, /Peak:\s+(-?[\d.]+)/].map((figure) =>
    Number(figure.exec(summary)?.[1]),
  )
  const bytes = await ffmpeg('-i', path, '-f', 'f32le', '-')
  const [loudness, peak] = [new LoudnessMeter(), new TruePeakMeter()]
  for (let at = 0; at < bytes.length; at += 4000) {
    const piece = new Float32Array(new Uint8Array(bytes.subarray(at, at + 4000)).buffer)
    loudness.push(piece)
    peak.push(piece)
  }
  expect(Math.abs((loudness.finish() ?? 0) - (expectedLoudness ?? 0))).toBeLessThan(0.1)
  expect(Math.abs(20 * Math.log10(peak.finish()) - (expectedPeak ?? 0))).toBeLessThan(0.15)
})

it('silence has no loudness; sound below the gate has an ungated one', () => {
  const loudnessAt = (level: number) => {
    const loudness = new LoudnessMeter()
    loudness.push(Float32Array.from({ length: 96_000 }, (_, at) => level * Math.sin(at)))
    return loudness.finish()
  }
  expect(loudnessAt(0)).toBeUndefined()
  expect(loudnessAt(1e-5)).toBeLessThan(-80)
})
