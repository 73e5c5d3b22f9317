import { expect, test } from 'vitest'
import { operations } from '../../tools/index.ts'
import { normalizeArguments } from './normalize-arguments.ts'

function inputOf(name: string) {
  const operation = operations.find((one) => one.operation.name === name)?.operation
  if (!operation) throw new Error(`there is no operation ${name}`)
  return operation.agentForm?.input ?? operation.input
}

test.each<[string | number, number, number]>([
  ['vertical', 1080, 1920],
  ['Portrait', 1080, 1920],
  ['landscape', 1920, 1080],
  ['horizontal', 1920, 1080],
  ['square', 1080, 1080],
  ['720p', 1280, 720],
  [1080, 1920, 1080],
  ['full hd', 1920, 1080],
  ['Full-HD', 1920, 1080],
  ['1440p', 2560, 1440],
  ['4K', 3840, 2160],
  ['uhd', 3840, 2160],
  ['2160p', 3840, 2160],
  ['vertical 4K', 2160, 3840],
  ['720p_square', 720, 720],
])('%j is a size of %i x %i', (given, width, height) => {
  const note = (field: string) => [`${field}: ${JSON.stringify(given)} was read as ${width}x${height}.`]
  expect(normalizeArguments(inputOf('music_visualizer'), { file_id: 'a.mp3', resolution: given })).toEqual({
    args: { file_id: 'a.mp3', resolution: { width, height } },
    assumed: note('resolution'),
  })
  expect(normalizeArguments(inputOf('video_timeline_render'), { video_size: given })).toEqual({
    ...{ args: { video_size: [width, height] }, assumed: note('video_size') },
  })
  expect(normalizeArguments(inputOf('check_particle'), { video_size: given })).toMatchObject({
    args: { video_size: { width, height } },
  })
  const composition = { video_size: given }
  expect(normalizeArguments(inputOf('html_render_simple'), { composition })).toEqual({
    args: { composition: { video_size: { width, height } } },
    assumed: note('composition.video_size'),
  })
})

test.each(['huge', '', '2k', 'vertical square', '16:9', 'p', '4k 720p', 5, true])(
  '%j is no size',
  (given) => {
    const { args, assumed } = normalizeArguments(inputOf('music_visualizer'), { resolution: given })
    expect({ args, assumed }).toEqual({ args: { resolution: given }, assumed: [] })
  },
)

test('an orientation is a size where there is no ratio', () => {
  const { args, assumed } = normalizeArguments(inputOf('music_visualizer'), { orientation: 'vertical' })
  expect(args).toEqual({ resolution: { width: 1080, height: 1920 } })
  expect(assumed).toEqual([
    'orientation was read as resolution.',
    'resolution: "vertical" was read as 1080x1920.',
  ])
})

test('a ratio is no size', () => {
  const { args } = normalizeArguments(inputOf('video_timeline_render'), {
    clips: ['a.mp4'],
    video_size: '16:9',
  })
  expect(args).toMatchObject({ video_size: '16:9' })
})
