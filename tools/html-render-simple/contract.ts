import * as z from 'zod'
import { agentField } from '../../src/contract/agent-form.ts'
import { list } from '../../src/contract/bounded-list.ts'
import { fileRef } from '../../src/contract/file.ts'
import { id } from '../../src/contract/fields.ts'
import { operation } from '../../src/contract/operation.ts'

/** Base tracks and particles of one composition. */
const maxItems = 200

/** Longest result in seconds: 6 hours. */
const maxSeconds = 6 * 3600

const seconds = z.number().min(0).max(maxSeconds)
const length = z.number().gt(0).max(maxSeconds)
const rate = z.number().min(1).max(120)
const assetName = z.string().min(1).max(128)
const layer = z.number().min(-1_000_000).max(1_000_000)

/** 4:2:0 pictures have even sides. */
const side = z.int().min(16).max(4096).multipleOf(2)

const track = z.object({
  type: z.enum(['video', 'audio']).describe('Only the first of each type is used'),
  asset: assetName.describe('Name in assets.file_id'),
  track_index: layer.describe('Tracks of one type and index must not overlap'),
  start: seconds.describe('s; audio always plays from 0'),
  duration: length.optional().describe('s; default: to the end of the file'),
  muted: z.boolean().default(true).describe('false: with its sound'),
  volume: agentField(z.number().min(0).max(100), { isUnlisted: true })
    .default(1)
    .describe('Audio only; ignored'),
})

const beat = z
  .object({
    id: z.string().min(1).max(128).optional().describe('Unique name, for errors'),
    start: seconds.describe('s on the output, its time 0'),
    duration: length.describe('s visible'),
    track_index: layer.describe('Higher is in front'),
    opaque: z.boolean().default(false).describe('Hides what is below, on black'),
    html: z.string().min(1).optional().describe('Its source; or html_asset'),
    html_asset: assetName.optional().describe('Name of its .html in assets.file_id'),
  })
  .refine(({ html, html_asset }) => (html === undefined) !== (html_asset === undefined), {
    message: 'a particle has exactly one of html and html_asset',
    params: {
      fix: 'Give the source as html, or name its file in assets.file_id and put that name in html_asset.',
    },
  })

const composition = z
  .object({
    video_size: z.object({ width: side, height: side }).describe('Pixels'),
    fps: rate.default(30).describe('Frames per second'),
    duration: length.optional().describe('s, of an mp4; default: the latest end'),
    assets: z
      .object({
        file_id: z
          .record(
            assetName,
            fileRef({
              kinds: ['video', 'audio', 'text', 'image'],
              describe: 'Video, audio, .html or image',
            }),
          )
          .describe('By the names that tracks, beats and particles use'),
      })
      .describe('Files'),
    tracks: list(track).max(maxItems).describe('Base; [] for webm and qtrle'),
    beats: list(beat).max(maxItems).default([]).describe('Particles over the base'),
  })
  .check(({ value, issues }) => {
    for (const { path, message, fix } of findCompositionIssues(value)) {
      issues.push({ code: 'custom', input: value, path: [...path], message, params: { fix } })
    }
  })

interface CompositionIssue {
  readonly path: readonly (string | number)[]
  readonly message: string
  readonly fix: string
}

/** Yields unknown asset names, repeated ids, and too many items. */
function* findCompositionIssues({
  assets,
  tracks,
  beats,
}: z.output<typeof composition>): Generator<CompositionIssue> {
  if (tracks.length + beats.length > maxItems) {
    const message = `there are ${tracks.length + beats.length} tracks and beats; at most ${maxItems} are allowed`
    yield { path: ['beats'], message, fix: 'Combine several motions in one particle.' }
  }
  const used = [
    ...tracks.map(({ asset }, index) => ({ name: asset, path: ['tracks', index, 'asset'] })),
    ...beats.map(({ html_asset }, index) => ({ name: html_asset, path: ['beats', index, 'html_asset'] })),
  ]
  for (const { name, path } of used) {
    if (name === undefined || Object.hasOwn(assets.file_id, name)) continue
    const message = `there is no asset ${JSON.stringify(name)}`
    yield { path, message, fix: 'Add its file to assets.file_id under that name.' }
  }
  const ids = beats.map((one) => one.id)
  for (const [index, beatId] of ids.entries()) {
    if (beatId === undefined || ids.indexOf(beatId) === index) continue
    const message = `the id ${JSON.stringify(beatId)} is used twice`
    yield { path: ['beats', index, 'id'], message, fix: 'Give every particle a unique id, or omit the ids.' }
  }
}

const render = z.object({
  fps: rate.optional().describe('Frames per second; default: that of the composition'),
  quality: z
    .enum(['draft', 'standard', 'high'])
    .default('high')
    .describe('CRF 28, 23 or 18 for mp4 and webm; qtrle is lossless'),
  output_format: z
    .enum(['mp4', 'webm', 'qtrle'])
    .default('mp4')
    .describe('webm, qtrle: only the particles, transparent'),
})

const input = z
  .object({
    composition: composition.describe('Content and timing'),
    render: render.default({ quality: 'high', output_format: 'mp4' }).describe('Encoding'),
  })
  .refine(
    ({ composition: { tracks }, render: { output_format } }) => output_format !== 'mp4' || tracks.length > 0,
    {
      path: ['composition', 'tracks'],
      message: 'an mp4 needs at least one track',
      params: {
        fix: 'Add a base track, or set output_format to webm or qtrle to render only the particles.',
      },
    },
  )
  .refine(
    ({ composition: { beats }, render: { output_format } }) => output_format === 'mp4' || beats.length > 0,
    {
      path: ['composition', 'beats'],
      message: 'a transparent layer needs at least one particle',
      params: { fix: 'Add a particle to beats, or set output_format to mp4.' },
    },
  )

const output = z.object({
  file_id: id,
  download_url: z.string(),
  duration: z.number().describe('Seconds'),
  video_size: z.object({ width: z.int(), height: z.int() }),
  notes: z
    .array(z.string())
    .optional()
    .describe('Ignored or changed parts of the request, and what a particle shows differently'),
})

/** Short example particle: a caption that slides in from the left. */
const caption = `<template data-composition-id="caption" data-width="1280" data-height="720">
<style>p { position: absolute; left: 80px; bottom: 60px; margin: 0; padding: 16px 28px; font: 600 44px sans-serif; color: #fff; background: rgb(10 20 40 / 0.7) }</style>
<p id="text">Hello</p>
<script>
const text = document.getElementById("text")
window.__timelines = { caption: { duration: () => 2, seek(t) {
  const shown = 1 - (1 - Math.min(1, t / 0.5)) ** 3
  text.style.opacity = shown
  text.style.transform = "translateX(" + (1 - shown) * -60 + "px)"
} } }
</script>
</template>`

export const htmlRenderSimple = operation({
  name: 'html_render_simple',
  title: 'HTML animation',
  description:
    'Renders HTML particles (animations) over a base video (mp4) or transparent (webm, qtrle). A particle is one ' +
    '<template data-composition-id="x" data-width="1920" data-height="1080"> with a script that sets window.__timelines = {x: {duration: () => 5, seek(t) {show ' +
    'the state at t seconds}}}. No network: system fonts, data: URIs, and images of assets by name (<img src="name">, ' +
    'url(name)). check_particle tests one free of charge.',
  details:
    'Frames are rendered one by one; 29.97 frames per second are exact. The first video track (scaled, padded) and the ' +
    'first audio track are used. An mp4 needs a track, webm and qtrle a beat; their assets.file_id may be {}. All ' +
    'particles are over the base; equal track_index in list order. A particle whose timeline ends before its duration ' +
    'keeps its last state. Limits: 200 tracks and beats, 6 hours.',
  // Two particles of 16 MiB, or 200 of 160 KiB; larger ones are uploaded.
  maxBodyBytes: 32 * 2 ** 20,
  toolset: 'render',
  input,
  output,
  price: { unit: 'minute', credits: 1, of: 'the result' },
  createdExtra: ['estimates'],
  errorAliases: { 6017: 6014 },
  examples: [
    {
      title: 'A caption over a talk with its sound',
      input: {
        composition: {
          video_size: { width: 1280, height: 720 },
          assets: { file_id: { talk: 'talk.mp4' } },
          tracks: [{ type: 'video', asset: 'talk', track_index: 0, start: 0, muted: false }],
          beats: [{ id: 'caption', start: 0.5, duration: 2, track_index: 1, html: caption }],
        },
      },
    },
    {
      title: 'A particle from a file as a transparent layer, 25 frames per second',
      input: {
        composition: {
          video_size: { width: 1080, height: 1920 },
          fps: 25,
          assets: { file_id: { title: 'title.html' } },
          tracks: [],
          beats: [{ start: 0, duration: 2, track_index: 0, html_asset: 'title' }],
        },
        render: { output_format: 'webm', quality: 'standard' },
      },
    },
  ],
})
