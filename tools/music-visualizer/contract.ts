import * as z from 'zod'
import { rgbColour } from '../../src/contract/colour.ts'
import { fileRef } from '../../src/contract/file.ts'
import { id } from '../../src/contract/fields.ts'
import { operation } from '../../src/contract/operation.ts'

/** Side of the result in pixels; even, because many players require it. */
const side = z
  .int()
  .min(16)
  .max(4096)
  .refine((pixels) => pixels % 2 === 0, {
    message: 'must be even',
    params: { fix: 'Use even numbers of pixels, such as 1920 and 1080.' },
  })

const templates = [
  'aurora',
  'nowplaying',
  'ring',
  'ridge',
  'bars',
  'pulsar',
  'lissajous',
  'vinyl',
  'shockwave',
] as const

const input = z.object({
  file_id: fileRef({
    kinds: ['audio'],
    describe: 'Music',
  }),
  template_id: z
    .enum(templates)
    .describe(
      'aurora: title over thin bars; nowplaying: card with cover; ring: spectrum around the cover; ridge: glowing wave; ' +
        'pulsar: radial, with beat rings; lissajous: oscilloscope; vinyl: cover on a record; shockwave: background beats',
    ),
  background_file_id: fileRef({
    kinds: ['image', 'video'],
    describe: 'Background; default: a gradient',
  }).optional(),
  cover_file_id: fileRef({
    kinds: ['image'],
    fix: 'Use an image, such as a frame saved as .png.',
    describe: 'For nowplaying, ring and vinyl',
  }).optional(),
  track: z.string().default('').describe('Title'),
  artist: z.string().default('').describe('Artist'),
  resolution: z
    .object({ width: side, height: side })
    .default({ width: 1920, height: 1080 })
    .describe('Pixels, even'),
  fps: z.int().min(30).max(60).default(30).describe('Frames per second'),
  c1: rgbColour().default('#ffffff').describe('Colour of the spectrum, #RRGGBB'),
  c2: rgbColour().optional().describe('Second colour: the spectrum runs from c1 to c2'),
  blur: z.int().min(0).max(40).default(16).describe('Blur of the background, px; 0 for none'),
})

const output = z.object({
  file_id: id,
  download_url: z.string(),
  duration: z.number().describe('Seconds'),
  video_size: z.object({ width: z.int(), height: z.int() }),
  template_id: z.enum(templates),
  notes: z.array(z.string()).optional().describe('Parts of the request that are not shown unchanged'),
})

export const musicVisualizer = operation({
  name: 'music_visualizer',
  title: 'Music visualizer',
  description:
    'Renders music as an mp4: a template animated by its sound, with title, artist, cover and background.',
  details:
    'As long as the music, at most 6 hours. bars: rounded bars. A title that does not fit ends with …. A background is ' +
    'darkened by about 40 %, and a video repeats. The default background is a gradient of the colours.',
  toolset: 'render',
  input,
  output,
  price: { unit: 'minute', credits: 1, of: 'music' },
  envelope: 'message',
  errorAliases: { 6014: 6001, 6201: 6202 },
  fullLinks: true,
  examples: [
    {
      title: 'A song with its cover in a ring of light, from violet to cyan',
      input: {
        file_id: 'song.mp3',
        template_id: 'ring',
        cover_file_id: 'cover.jpg',
        track: 'Night Drive',
        artist: 'The Example Band',
        c1: '#8B5CF6',
        c2: '#22D3EE',
      },
    },
    {
      title: 'Rounded bars over a lightly blurred video, tall, 60 frames per second',
      input: {
        file_id: 'song.mp3',
        template_id: 'bars',
        background_file_id: 'city.mp4',
        track: '夜に駆ける',
        resolution: { width: 1080, height: 1920 },
        fps: 60,
        c1: '#FDE68A',
        blur: 8,
      },
    },
  ],
})
