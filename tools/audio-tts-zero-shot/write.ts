import { fileUrl, runRaw } from '../../src/engines/ffmpeg/run.ts'

/** What players and people are told of the file. */
const aiGeneratedComment = 'AI-generated speech in the voice of a recording (Reelwright)'

interface WriteSpeechOptions {
  readonly path: string
  readonly format: SpeechFormat
  readonly signal: AbortSignal
}

/** Sound of one channel in a file that has nothing else: 32-bit floats, little-endian. */
interface RawSpeech {
  readonly path: string
  readonly rate: number
  readonly seconds: number
}

/** Longest that it may take: some, and so much for each second of sound, of which some fifty are written in one, ms. */
const [startMs, secondMs] = [60_000, 1000]

/** Codecs by the end of the name; MP3 of one channel is transparent for speech at this rate. */
const codecs = { wav: ['-c:a', 'pcm_s16le'], mp3: ['-c:a', 'libmp3lame', '-b:a', '128k'] } as const
export type SpeechFormat = keyof typeof codecs

/** Writes speech as a file for people, marked as AI-generated. */
export async function writeSpeech(
  speech: RawSpeech,
  { path, format, signal }: WriteSpeechOptions,
): Promise<void> {
  const form = ['-protocol_whitelist', 'file', '-f', 'f32le', '-ar', String(speech.rate), '-ac', '1']
  const input = [...form, '-i', fileUrl(speech.path)]
  await runRaw({
    args: [...input, '-metadata', `comment=${aiGeneratedComment}`, ...codecs[format], path],
    signal,
    timeoutMs: startMs + secondMs * speech.seconds,
  })
}
