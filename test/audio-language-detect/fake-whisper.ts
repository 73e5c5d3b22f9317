import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { modelSha256 } from '../../src/engines/packs/sha256.ts'
import { onnxFile } from '../engines/onnx-file.ts'
import { whisperDecoder, whisperEncoder } from '../engines/speech/fake-speech-models.ts'

/** Logits of the fake decoder: 50260 is zh, 50297 cy, 50259 en, 50262 es, 50267 pt. */
const scores = { 50_260: -9, 50_297: -6, 50_259: -4, 50_262: -2, 50_267: -1 }

/** Writes a fake Whisper that prefers Chinese, then Welsh. Returns its entry for the settings. */
export async function writeFakeWhisper(folder: string): Promise<{ path: string; sha256: string }> {
  const path = join(folder, 'whisper')
  await mkdir(path, { recursive: true })
  await writeFile(join(path, 'stand-in-encoder.onnx'), onnxFile(whisperEncoder()))
  await writeFile(join(path, 'stand-in-decoder.onnx'), onnxFile(whisperDecoder(scores)))
  return { path, sha256: await modelSha256(path) }
}
