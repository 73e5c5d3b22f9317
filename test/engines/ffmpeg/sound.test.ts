import { join } from 'node:path'
import { expect, test } from 'vitest'
import { decodeSound } from '../../../src/engines/ffmpeg/sound.ts'
import { generateMedia, scratchFolder } from './generate-media.ts'

const folder = await scratchFolder()

async function decodeSource(source: string, seconds: number): Promise<Float32Array> {
  const path = join(folder, 'sound.wav')
  await generateMedia(path, ['-f', 'lavfi', '-i', source, '-c:a', 'pcm_f32le'])
  const samples: number[] = []
  const job = { signal: new AbortController().signal, timeoutMs: 20_000 }
  for await (const piece of decodeSound({ path, mono: true, seconds }, job)) samples.push(...piece)
  return new Float32Array(samples)
}

test('sound is decoded to its end, whatever its size in chunks', async () => {
  for (const seconds of [0.01, 0.1, 0.25]) {
    const samples = await decodeSource('aevalsrc=0.5:s=48000:d=1', seconds)
    expect(samples).toEqual(new Float32Array(2 * Math.round(seconds * 48_000)).fill(0.5))
  }
})

test('NaN, infinite and huge samples become silence, loud ones stay', async () => {
  const broken = 'if(eq(n,10),0/0,if(eq(n,20),1/0,if(eq(n,30),-1/0,if(eq(n,40),1e30,if(eq(n,50),-3,0.5)))))'
  const samples = await decodeSource(`aevalsrc='${broken}':s=48000:d=0.01`, 0.01)
  const left = samples.filter((_, index) => index % 2 === 0)
  expect([10, 20, 30, 40, 50, 60].map((at) => left[at])).toEqual([0, 0, 0, 0, -3, 0.5])
})
