import { MediaError } from '../../src/contract/errors.ts'
import type { RequestFile, RequestFiles, InputOf } from '../../src/contract/operation.ts'
import type { musicVisualizer } from './contract.ts'

export type VisualizerInput = InputOf<typeof musicVisualizer>

/** A validated request: its files and length. */
export interface VisualizerRequest<F extends RequestFile = RequestFile> {
  readonly music: F
  readonly mono: boolean
  /** Length of the video: that of the music rounded to whole frames, at least 1. */
  readonly frames: number
  readonly seconds: number
  readonly background: F | undefined
  readonly cover: F | undefined
}

/** Longest result: 6 hours, in ms. */
const maxMusicMs = 6 * 3600 * 1000

/** Validates a request against its files. Throws 6001 for a file without the needed content, 6016 beyond 6 hours. */
export function readVisualizerRequest<F extends RequestFile>(
  input: VisualizerInput,
  files: RequestFiles<F>,
): VisualizerRequest<F> {
  const music = files.get(input.file_id)
  const sound = music.facts?.audio[0]
  const declaredMs = sound ? sound.duration_ms || (music.facts?.duration_ms ?? 0) : 0
  const durationMs = Math.min(declaredMs, music.facts?.cut_off_ms ?? Infinity)
  if (!sound || durationMs <= 0) {
    throw new MediaError(6001, `file_id: ${music.name} contains no sound`, {
      hint: 'Use an audio file with sound.',
    })
  }
  if (durationMs > maxMusicMs) {
    throw new MediaError(6016, `file_id: ${music.name} lasts longer than 6 hours`, {
      hint: 'Split it into shorter pieces.',
    })
  }
  const frames = Math.max(1, Math.round((durationMs * input.fps) / 1000))
  return {
    music,
    mono: sound.channels === 1,
    frames,
    seconds: frames / input.fps,
    background:
      input.background_file_id === undefined ? undefined : readBackground(input.background_file_id, files),
    cover: input.cover_file_id === undefined ? undefined : readCover(input.cover_file_id, files),
  }
}

function readBackground<F extends RequestFile>(fileId: string, files: RequestFiles<F>): F {
  const file = files.get(fileId)
  if (file.facts?.video) return file
  throw new MediaError(6001, `background_file_id: ${file.name} contains no picture`, {
    hint: 'Use an image or a video.',
  })
}

/** Returns the cover; a file named like an image may be a video. */
function readCover<F extends RequestFile>(fileId: string, files: RequestFiles<F>): F {
  const file = files.get(fileId)
  if (file.facts?.video && !isVideoFile(file)) return file
  throw new MediaError(6001, `cover_file_id: ${file.name} is not an image`, {
    hint: 'Use a JPEG, PNG, WebP or BMP file.',
  })
}

/** Whether a file is a video: still images have no frame rate. */
export function isVideoFile({ facts }: RequestFile): boolean {
  return (facts?.video?.frame_rate.num ?? 0) > 0
}
