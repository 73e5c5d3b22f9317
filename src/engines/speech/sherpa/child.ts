import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Opening, Question, Reply, Settings } from './talk.ts'

// A process of its own: the native engine ends the one it is in at a model it does not like.

interface Stream {
  acceptWaveform(wave: { readonly samples: Float32Array; readonly sampleRate: number }): void
  inputFinished(): void
}

/** As much of sherpa-onnx-node as is used here. */
interface Sherpa {
  readonly OfflineRecognizer: new (settings: Settings) => {
    createStream(): Stream
    decode(stream: Stream): void
    getResult(stream: Stream): unknown
  }
  readonly SpeakerEmbeddingExtractor: new (settings: Settings) => {
    createStream(): Stream
    isReady(stream: Stream): boolean
    compute(stream: Stream, external: boolean): Float32Array
  }
  readonly OfflineSpeechDenoiser: new (settings: Settings) => { run(wave: object): unknown }
  readonly OfflineTts: new (settings: Settings) => { generate(request: object): unknown }
}

type Answer = (question: Question) => unknown

function open({ engine, part, settings }: Opening): Answer {
  const sherpa = createRequire(join(engine, 'engine.cjs'))('sherpa-onnx-node') as Sherpa
  switch (part) {
    case 'recogniser':
      return recognising(new sherpa.OfflineRecognizer(settings))
    case 'embedding':
      return embedding(new sherpa.SpeakerEmbeddingExtractor(settings))
    case 'denoiser': {
      const denoiser = new sherpa.OfflineSpeechDenoiser(settings)
      return ({ samples, rate }) => denoiser.run({ samples, sampleRate: rate, enableExternalBuffer: false })
    }
    case 'voice':
      return speaking(new sherpa.OfflineTts(settings))
    default:
      throw new TypeError('there is no such part')
  }
}

function recognising(recogniser: InstanceType<Sherpa['OfflineRecognizer']>): Answer {
  return ({ samples, rate }) => {
    const stream = recogniser.createStream()
    stream.acceptWaveform({ samples, sampleRate: rate })
    recogniser.decode(stream)
    return recogniser.getResult(stream)
  }
}

function embedding(extractor: InstanceType<Sherpa['SpeakerEmbeddingExtractor']>): Answer {
  return ({ samples, rate }) => {
    const stream = extractor.createStream()
    stream.acceptWaveform({ samples, sampleRate: rate })
    stream.inputFinished()
    return extractor.isReady(stream) ? extractor.compute(stream, false) : null
  }
}

function speaking(voice: InstanceType<Sherpa['OfflineTts']>): Answer {
  return ({ samples, rate, say }) =>
    voice.generate({
      text: say?.text ?? '',
      enableExternalBuffer: false,
      generationConfig: {
        speed: say?.speed ?? 1,
        // As many as the distilled model was made for.
        numSteps: 4,
        referenceAudio: samples,
        referenceSampleRate: rate,
        referenceText: say?.reference ?? '',
      },
    })
}

let answer: Answer | undefined

function handle(message: Opening | Question): unknown {
  if ('part' in message) {
    answer = open(message)
    return null
  }
  return answer?.(message)
}

process.on('message', (message: Opening | Question) => {
  let reply: Reply
  try {
    reply = { told: handle(message) }
  } catch (error) {
    reply = { failed: String(error) }
  }
  process.send?.(reply)
})
// Who asked is gone.
process.on('disconnect', () => process.exit())
