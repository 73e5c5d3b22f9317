import { expect, test } from 'vitest'
import { describeFinishedClips } from '../../tools/video-long2short-pro/next-step.ts'

test('the next step shows the clips, and names what was left out', () => {
  const file = {
    type: 'video',
    format: 'mp4',
    file_id: '1',
    download_url: '/1',
    filename: 'clip1.mp4',
    duration: 20.4,
  } as const
  const result = { clips: [{ title: 'Sleep', file }], errors: { camera: 'clip 1: no faces' } }
  expect(describeFinishedClips(result, { nameFile: (id) => `/w/${id}.mp4`, input: {} })).toBe(
    '1 clip of 20 s. Left out or done in a simpler way: camera: clip 1: no faces. ' +
      'Look at each clip: call inspect_file with preview contact_sheet and file "/w/1.mp4". ' +
      'Tell the user the titles and the paths.',
  )
})
