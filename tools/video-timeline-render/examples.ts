import type { Example } from '../../src/contract/operation.ts'

/** Example timelines. All clips of the first are trimmed. The second starts with black. */
export const examples: readonly [Example, Example] = [
  {
    title: 'Two shots in a row, the second in slow motion, with music at a third of its level',
    call: {
      clips: [
        { material: 'street.mp4', clip_st: 0.5, clip_ed: 2 },
        { material: 'jump.mp4', clip_st: 1, clip_ed: 1.5, speed: 0.5, muted: true },
      ],
      audio: [{ material: 'music.mp3', volume: 0.33 }],
    },
    input: {
      version: 'v1',
      video_size: [1280, 720],
      video_rate: 30,
      materials: [{ id: 'street.mp4' }, { id: 'jump.mp4' }, { id: 'music.mp3' }],
      video_track: [
        {
          track_index: 0,
          track_timeline: [
            {
              clip_id: 'street',
              material: 'street.mp4',
              ...{ clip_st: 0.5, clip_ed: 2, track_st: 0, track_ed: 1.5, duration: 1.5 },
            },
            {
              clip_id: 'jump',
              material: 'jump.mp4',
              ...{ clip_st: 1, clip_ed: 1.5, track_st: 1.5, track_ed: 2.5, duration: 1 },
              ...{ speed: 0.5, muted: true },
            },
          ],
        },
      ],
      audio_track: [
        {
          track_index: 0,
          volume: 0.33,
          track_timeline: [
            {
              clip_id: 'music',
              material: 'music.mp3',
              ...{ clip_st: 0, clip_ed: 2.5, track_st: 0, track_ed: 2.5, duration: 2.5 },
            },
          ],
        },
      ],
    },
  },
  {
    title:
      'A tall picture that opens on black while the voice begins, then one shot faster with its pitch kept',
    input: {
      version: 'v1',
      video_size: [1080, 1920],
      video_rate: 25,
      duration: 3,
      materials: [{ id: 'walk.mp4' }, { id: 'voice.wav' }],
      video_track: [
        {
          track_index: 0,
          track_timeline: [
            { clip_id: '', track_st: 0, track_ed: 1, duration: 1 },
            {
              clip_id: 'walk',
              material: 'walk.mp4',
              ...{ clip_st: 0, clip_ed: 2.5, track_st: 1, track_ed: 3, duration: 2 },
              ...{ speed: 1.25, keep_pitch: true },
            },
          ],
        },
      ],
      audio_track: [
        {
          track_index: 0,
          track_timeline: [
            {
              clip_id: 'voice',
              material: 'voice.wav',
              ...{ clip_st: 0.2, clip_ed: 2, track_st: 0.5, track_ed: 2.3, duration: 1.8 },
              volume: 0.9,
            },
          ],
        },
      ],
    },
  },
]
