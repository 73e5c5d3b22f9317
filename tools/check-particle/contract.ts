import * as z from 'zod'
import { fileRef, saveAsHtmlHint } from '../../src/contract/file.ts'
import { id } from '../../src/contract/fields.ts'
import { operation } from '../../src/contract/operation.ts'

const input = z
  .object({
    html: z.string().min(1).optional().describe('Its source; or file_id'),
    file_id: fileRef({
      kinds: ['text'],
      fix: saveAsHtmlHint,
      describe: 'Its .html file',
    }).optional(),
    video_size: z
      .object({ width: z.int().min(16).max(4096), height: z.int().min(16).max(4096) })
      .optional()
      .describe('Pixels; default: its canvas'),
    fps: z.number().min(1).max(120).default(30).describe('Frames per second of the video'),
    duration: z.number().gt(0).max(600).default(5).describe('Seconds to play'),
  })
  .refine(({ html, file_id }) => (html === undefined) !== (file_id === undefined), {
    message: 'exactly one of html and file_id is required',
    params: { fix: 'Pass the source as html, or the path or id of an .html file as file_id.' },
  })

const problem = z.object({
  severity: z.enum(['error', 'warning']).describe('An error prevents rendering'),
  message: z.string(),
  line: z.int().optional().describe('Line of the source, from 1'),
})

const output = z.object({
  ok: z.boolean().describe('True if there are no errors, so it can be rendered'),
  problems: z.array(problem).describe('All problems, by line'),
  composition_id: z.string().optional(),
  width: z.int().optional().describe('Canvas size in pixels'),
  height: z.int().optional(),
  file_id: id
    .optional()
    .describe('If it can be played: a PNG of moments over a checkerboard, which shows transparency'),
  download_url: z.string().optional(),
})

const source = `<template data-composition-id="dot" data-width="640" data-height="360">
<svg viewBox="0 0 640 360"><circle id="dot" cy="180" r="40" fill="#e4572e"/></svg>
<script>
const dot = document.getElementById("dot")
window.__timelines = { dot: { duration: () => 2, seek: (t) => dot.setAttribute("cx", 40 + 280 * t) } }
</script>
</template>`

export const checkParticle = operation({
  name: 'check_particle',
  title: 'Check an HTML particle',
  description:
    'Plays an HTML particle of html_render_simple and returns its problems with their lines, and a PNG of moments: look ' +
    'at it before you render. Pass exactly one of html and file_id.',
  details:
    'Problems: no timeline, an endless one, script errors, network requests, a blend with the video below, another ' +
    'shape than the video, nothing drawn. The PNG is returned if the particle can be played.',
  // A particle of 16 MiB, which JSON makes a quarter longer.
  maxBodyBytes: 20 * 2 ** 20,
  toolset: 'render',
  input,
  output,
  price: { unit: 'item', credits: 0, of: 'particle' },
  createdExtra: ['estimates'],
  nextStep({ ok, file_id }, { nameFile }) {
    if (!ok) return 'Correct output.problems, then check again.'
    const picture = file_id === undefined ? 'it' : `file ${JSON.stringify(nameFile(file_id))}`
    return `Look at the picture (inspect_file with ${picture} and preview contact_sheet), then call html_render_simple.`
  },
  examples: [
    { title: 'Two seconds of a source', input: { html: source, duration: 2 } },
    {
      title: 'A file, for a tall video',
      input: { file_id: 'title.html', video_size: { width: 1080, height: 1920 }, fps: 25 },
    },
  ],
})
