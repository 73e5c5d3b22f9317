import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { manifest, type EnginePack } from '../../../src/engines/packs/manifest.ts'
import { artifactOf } from '../../packs/pack-fixtures.ts'

/** Source of a fake engine. The contents of its model files select its behaviour. */
const program = `
const { appendFileSync, readFileSync } = require('node:fs')
const behave = (file) => act(readFileSync(file, 'utf8').trim())
const act = (behaviour) => {
  if (behaviour === 'exit') { process.stderr.write('metadata are missing\\n'); process.exit(255) }
  if (behaviour === 'crash') process.abort()
  if (behaviour === 'throw') throw new Error('no such file')
  if (behaviour === 'hang') for (;;);
  if (behaviour === 'sleep') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  return behaviour
}
module.exports = {
  OfflineRecognizer: class {
    constructor({ modelConfig: { senseVoice, tokens } }) {
      this.language = senseVoice.language
      behave(senseVoice.model)
      this.resultFile = tokens
    }
    createStream() { return { acceptWaveform({ samples }) { this.samples = samples } } }
    decode() {}
    getResult() {
      const behaviour = behave(this.resultFile)
      if (behaviour.startsWith('[[')) return JSON.parse(behaviour)[this.results = (this.results ?? -1) + 1][0]
      if (behaviour === 'language') return { text: this.language, lang: '<|' + this.language + '|>' }
      return JSON.parse(behaviour)
    }
  },
  OfflineTts: class {
    constructor({ model: { zipvoice } }) { this.behaviourFile = zipvoice.tokens }
    generate({ text, generationConfig }) {
      const written = behave(this.behaviourFile)
      // The text of the request is the behaviour.
      const behaviour = written === 'text' ? act(text) : written
      if (behaviour === 'slow') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
      if (behaviour === 'tone') return { samples: Float32Array.from({ length: 24000 }, (_, at) => Math.sin(at / 9) / 3), sampleRate: 24000 }
      if (behaviour === 'silence') return { samples: new Float32Array(100), sampleRate: 24000 }
      if (behaviour === 'nothing') return { samples: new Float32Array(0), sampleRate: 24000 }
      if (behaviour === 'wrong') return { samples: Float32Array.of(NaN), sampleRate: 24000 }
      const { referenceAudio, referenceSampleRate, referenceText, speed } = generationConfig
      const request = [text.length, referenceAudio.length, referenceSampleRate / 1e6, referenceText.length, speed]
      return { samples: Float32Array.from(request), sampleRate: 24000 }
    }
  },
}
`

/** Writes a fake sherpa-onnx package to the `mirror` folder in `folder`. Returns its pack. */
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
