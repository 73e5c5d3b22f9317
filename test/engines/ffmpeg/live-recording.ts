import { generateMedia } from './generate-media.ts'
import { oneThread } from './vp8.ts'

interface LiveRecordingOptions {
  /** The lavfi source of the picture, without rate and duration. */
  readonly picture: string
  /** Start and duration of the picture, seconds. */
  readonly startSeconds: number
  readonly durationSeconds: number
  /** Frames from one key frame to the next. */
  readonly gop: number
}

/** Creates a browser-style recording without a duration and an index: a tone from the start, and a picture that starts later. */
export async function liveRecording(
  path: string,
  { picture, startSeconds: begins, durationSeconds: lasts, gop }: LiveRecordingOptions,
): Promise<string> {
  const late = ['-itsoffset', String(begins), '-f', 'lavfi', '-i', `${picture}:rate=25:duration=${lasts}`]
  const tone = ['-f', 'lavfi', '-i', `sine=duration=${begins + lasts}`]
  const maps = ['-map', '0', '-map', '1', '-fps_mode', 'passthrough', '-pix_fmt', 'yuv420p']
  const live = ['-live', '1', '-cluster_time_limit', '500']
  const coding = ['-c:v', 'libvpx', ...oneThread, '-g', String(gop), '-c:a', 'libopus', ...live]
  return await generateMedia(path, [...late, ...tone, ...maps, ...coding])
}
