import type { Rational } from '../../../src/contract/media-facts.ts'
import type { StagedFile } from '../../../src/contract/operation.ts'
import { runRaw } from '../../../src/engines/ffmpeg/run.ts'
import { speechRate } from '../../../src/media/speech/speech-types.ts'
import type { Recording } from '../../recordings/assemble.ts'
import { writeRecording } from '../../recordings/frame-marks.ts'
import { fileIdOf, stageFiles } from '../../tasks/run-in-worker.ts'
import { generateMedia } from '../ffmpeg/generate-media.ts'

/** Writes a video with the number of each frame in its picture, and a tone. Returns its path. */
export async function markedVideo(folder: string, name: string, rate: Rational, seconds: number) {
  const samples = Float32Array.from(
    { length: seconds * speechRate },
    (_, at) => 0.1 * Math.sin((2 * Math.PI * 300 * at) / speechRate),
  )
  const recording = { samples, truth: { seconds } } as Recording
  return await writeRecording(folder, recording, { name, rate })
}

/** Copies a file with options before its input and after it. */
export async function remux(
  path: string,
  to: string,
  { before = [], after }: { readonly before?: readonly string[]; readonly after: readonly string[] },
): Promise<string> {
  return await generateMedia(to, [...before, '-i', path, ...after])
}

export async function staged(path: string): Promise<StagedFile> {
  return (await stageFiles([path])).get(fileIdOf(path))
}

/** Mean level of the lowest fifth of each frame, 0 to 255. */
export async function lowerLevels(path: string): Promise<number[]> {
  const chunks: Buffer[] = []
  await runRaw({
    args: [
      ...['-i', path, '-map', '0:v:0', '-vf', 'crop=iw:ih/5:0:4*ih/5,scale=1:1:flags=area,format=gray'],
      ...['-fps_mode', 'passthrough', '-f', 'rawvideo', 'pipe:1'],
    ],
    timeoutMs: 60_000,
    onOutput: (chunk) => void chunks.push(chunk),
  })
  return [...Buffer.concat(chunks)]
}

/** An ASS file that covers the lower third of the picture with white during a time, `h:mm:ss.cc`. */
export function whiteBox(start: string, end: string): string {
  return `[Script Info]
ScriptType: v4.00+
PlayResX: 160
PlayResY: 96

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, Outline, Shadow, Alignment, MarginL, MarginR, MarginV
Style: Default,sans-serif,10,&H00FFFFFF,0,0,7,0,0,0

[Events]
Format: Layer, Start, End, Style, Text
Dialogue: 0,${start},${end},Default,{\\pos(0,64)\\p1}m 0 0 l 160 0 160 32 0 32
`
}

/** Hash of the packets of a stream. */
export async function packetHash(path: string, stream: string): Promise<string> {
  return (await hashPackets(path, ['-map', `0:${stream}`])).join()
}

/** Hashes of the packets of the first picture and sound. */
export async function packetHashes(path: string): Promise<string[]> {
  return await hashPackets(path, ['-map', '0:v:0', '-map', '0:a:0'])
}

async function hashPackets(path: string, streams: readonly string[]): Promise<string[]> {
  const chunks: Buffer[] = []
  await runRaw({
    args: ['-i', path, ...streams, '-c', 'copy', '-f', 'streamhash', '-hash', 'sha256', 'pipe:1'],
    timeoutMs: 60_000,
    onOutput: (chunk) => void chunks.push(chunk),
  })
  const lines = Buffer.concat(chunks).toString().trim().split('\n')
  // The number of the stream in the output is no part of its packets.
  return lines.map((line) => line.replace(/^\d+,/, ''))
}
