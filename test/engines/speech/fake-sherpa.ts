import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { manifest, type EnginePack } from '../../../src/engines/packs/manifest.ts'
import { artifactOf } from '../../packs/stand-in.ts'

/** An engine that does what its model's name, and what it is asked, tells it. */
const program = `
const { appendFileSync, readFileSync } = require('node:fs')
const does = (file) => {
  const what = readFileSync(file, 'utf8').trim()
  if (what === 'exit') { process.stderr.write('metadata are missing\\n'); process.exit(255) }
  if (what === 'crash') process.abort()
  if (what === 'throw') throw new Error('no such file')
  if (what === 'hang') for (;;);
  return what
}
module.exports = {
  OfflineRecognizer: class {
    constructor({ modelConfig: { senseVoice, tokens } }) {
      this.opened = senseVoice.language
      does(senseVoice.model)
      this.answer = tokens
    }
    createStream() { return { acceptWaveform({ samples }) { this.samples = samples } } }
    decode() {}
    getResult() {
      const told = does(this.answer)
      if (told === 'language') return { text: this.opened, lang: '<|' + this.opened + '|>' }
      return JSON.parse(told)
    }
  },
  OfflineTts: class {
    constructor({ model: { zipvoice } }) { this.does = zipvoice.tokens }
    generate({ text, generationConfig }) {
      const told = does(this.does)
      if (told === 'slow') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
      if (told === 'tone') return { samples: Float32Array.from({ length: 24000 }, (_, at) => Math.sin(at / 9) / 3), sampleRate: 24000 }
      if (told === 'silence') return { samples: new Float32Array(100), sampleRate: 24000 }
      if (told === 'nothing') return { samples: new Float32Array(0), sampleRate: 24000 }
      if (told === 'wrong') return { samples: Float32Array.of(NaN), sampleRate: 24000 }
      const { referenceAudio, referenceSampleRate, referenceText, speed } = generationConfig
      const told2 = [text.length, referenceAudio.length, referenceSampleRate / 1e6, referenceText.length, speed]
      return { samples: Float32Array.from(told2), sampleRate: 24000 }
    }
  },
}
`

/** Puts such an engine into the mirror of a test's folder. */
export async function createFakeSherpaPack(folder: string): Promise<EnginePack> {
  const stage = join(folder, 'stage', 'package')
  await mkdir(stage, { recursive: true })
  await writeFile(join(stage, 'index.js'), program)
  await writeFile(
    join(stage, 'package.json'),
    JSON.stringify({ name: 'sherpa-onnx-node', version: '0.0.1', main: 'index.js' }),
  )
  const file = 'sherpa-onnx-node-0.0.1.tgz'
  await mkdir(join(folder, 'mirror'), { recursive: true })
  const path = join(folder, 'mirror', file)
  await promisify(execFile)('tar', ['-czf', path, '-C', join(folder, 'stage'), 'package'])
  const artifact = artifactOf(file, await readFile(path))
  const item = { name: 'sherpa-onnx-node', version: '0.0.1', extract: ['package.json', 'index.js'], artifact }
  return { ...manifest['sherpa-onnx'], unpackedBytes: 1e4, packages: [item] }
}
