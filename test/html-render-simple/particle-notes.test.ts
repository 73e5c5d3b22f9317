import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { ffmpeg, solidColour } from '../video-split-screen/media.ts'
import { htmlParticle, renderBeats } from './render.ts'

// What a particle shows differently than its author may expect is in the notes of the result.

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let base: string

beforeAll(async () => {
  folder = await temporaryFolder()
  base = await solidColour(
    join(folder.path, 'base.mkv'),
    { width: 320, height: 180, seconds: 1, rate: '10' },
    'blue',
  )
})
afterAll(() => folder[Symbol.asyncDispose]())

const size = { width: 320, height: 180 }
const text = '<p>text</p>'

/** Renders particles at the same time, over a video. */
async function rendered(...particles: readonly Readonly<Record<string, unknown>>[]) {
  return await renderBeats(
    {
      composition: {
        ...{ video_size: size, fps: 10, duration: 0.3 },
        tracks: [{ type: 'video', asset: 'base', track_index: 0, start: 0 }],
        beats: particles.map((particle) => ({ start: 0, duration: 0.3, track_index: 1, ...particle })),
      },
      assets: { base },
    },
    folder.path,
  )
}

describe('notes', () => {
  it('report a canvas of another shape, a particle without a timeline and a blend with the video below', async () => {
    const { output } = await rendered(
      { html: htmlParticle({ width: 180, height: 320 }, text) },
      { html: `<template data-composition-id="t" data-width="320" data-height="180">${text}</template>` },
      { html: htmlParticle({}, '\n<p style="mix-blend-mode: screen">x</p>') },
    )
    expect(output.notes).toEqual([
      expect.stringMatching(
        /^beats\[0\] \(test\): the canvas of 180 x 320 is scaled to cover 320 x 180, which crops 68 % of its height/,
      ),
      expect.stringMatching(/^beats\[1\] \(t\): no timeline is registered, so the particle is shown at rest/),
      expect.stringMatching(
        /^beats\[2\] \(test\): line 3: mix-blend-mode: screen of <p> does not see the video below/,
      ),
    ])
  })

  it('are absent where nothing differs, and for a blend that hides the video', async () => {
    const blend = htmlParticle({}, '<p style="mix-blend-mode: screen">x</p>')
    const { output } = await rendered({ html: htmlParticle({}, text) }, { html: blend, opaque: true })
    expect(output.notes).toBeUndefined()
  })
})

it('a particle without a timeline is shown over the video, its CSS animation at the end', async () => {
  const html = `<template data-composition-id="t" data-width="320" data-height="180">
<style>@keyframes grow { from { width: 0 } to { width: 100% } }
b { position: absolute; left: 0; top: 0; width: 0; height: 100%; background: red; animation: grow 3s 1s forwards }</style>
<b></b></template>`
  const { path } = await rendered({ html })
  const pixels = await ffmpeg(
    '-i',
    path,
    '-vf',
    'crop=2:2:300:90',
    '-f',
    'rawvideo',
    '-pix_fmt',
    'rgb24',
    '-',
  )
  const reds = Array.from({ length: pixels.length / 12 }, (_, frame) => pixels[frame * 12] ?? 0)
  expect(reds).toHaveLength(3)
  for (const red of reds) expect(red).toBeGreaterThan(240)
})
