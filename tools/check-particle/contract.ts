import * as z from 'zod'
import { fileRef, saveAsHtmlHint } from '../../src/contract/file.ts'
import { id } from '../../src/contract/fields.ts'
import { operation } from '../../src/contract/operation.ts'

const input = z
  .object({
    html: z.string().min(1).optional().describe('Source of the particle; this or file_id'),
    file_id: fileRef({
      kinds: ['text'],
      fix: saveAsHtmlHint,
      describe: 'The particle as an .html file',
    }).optional(),
    video_size: z
      .object({ width: z.int().min(16).max(4096), height: z.int().min(16).max(4096) })
      .optional()
      .describe('Picture it is to be shown in, pixels; by default its own canvas'),
    fps: z.number().min(1).max(120).default(30).describe('Frames a second it is to be shown at'),
    duration: z.number().gt(0).max(600).default(5).describe('Seconds it is to be shown'),
  })
  .refine(({ html, file_id }) => (html === undefined) !== (file_id === undefined), {
    message: 'exactly one of html and file_id is needed',
    params: { fix: 'Give the source as html, or a path or id of an .html file as file_id.' },
  })

const problem = z.object({
  severity: z.enum(['error', 'warning']).describe('An error keeps it from being rendered'),
  message: z.string(),
  line: z.int().optional().describe('Of the source, from 1'),
})

const output = z.object({
  ok: z.boolean().describe('It would be rendered: there are no errors'),
  problems: z.array(problem).describe('All that was found, by line'),
  composition_id: z.string().optional(),
  width: z.int().optional().describe('Of its canvas, pixels'),
  height: z.int().optional(),
  file_id: id
    .optional()
    .describe('Where it plays: a PNG of moments over checks, which show what is transparent'),
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
    'Tries an HTML particle before html_render_simple draws it: plays it to its end and answers all problems at once ' +
    'with their lines: no timeline, an endless one, script errors, addresses outside, nothing painted. Where it ' +
    'plays, a PNG shows moments of it: look at that before you render. Give exactly one of html and file_id.',
  toolset: 'render',
  input,
  output,
  price: { unit: 'item', credits: 0, of: 'particle' },
  createdExtra: ['estimates'],
  nextStep: ({ ok }) =>
    ok
      ? 'Look at the picture (inspect_file with preview contact_sheet), then call html_render_simple.'
      : 'Correct output.problems, then check again.',
  examples: [
    { title: 'A source, two seconds of it', input: { html: source, duration: 2 } },
    {
      title: 'A file, as a tall video would show it',
      input: { file_id: 'title.html', video_size: { width: 1080, height: 1920 }, fps: 25 },
    },
  ],
})
