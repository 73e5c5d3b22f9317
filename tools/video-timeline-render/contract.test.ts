import { expect, it } from 'vitest'
import { findFileRefs } from '../../src/contract/file.ts'
import { videoTimelineRender } from './contract.ts'

it('every place that names a file is one where an agent may write a path, with the kinds that fit', () => {
  const [{ input }] = videoTimelineRender.examples
  const found = findFileRefs(videoTimelineRender.input, input).map(({ path, kinds, value }) => [
    path.join('.'),
    kinds.join(),
    value,
  ])
  expect(found).toEqual([
    ['materials.0.id', 'video,audio', 'street.mp4'],
    ['materials.1.id', 'video,audio', 'jump.mp4'],
    ['materials.2.id', 'video,audio', 'music.mp3'],
    ['video_track.0.track_timeline.0.material', 'video', 'street.mp4'],
    ['video_track.0.track_timeline.1.material', 'video', 'jump.mp4'],
    ['audio_track.0.track_timeline.0.material', 'audio,video', 'music.mp3'],
  ])
})
