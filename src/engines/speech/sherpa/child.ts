import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { SherpaLoadRequest, SherpaRequest, SherpaReply, SherpaSettings } from './messages.ts'

// Runs in a process of its own, as the native engine aborts its process for an invalid model.

interface SherpaStream {
  acceptWaveform(wave: { readonly samples: Float32Array; readonly sampleRate: number }): void
  inputFinished(): void
}

/** The part of sherpa-onnx-node that is used here. */
interface SherpaModule {
  readonly OfflineRecognizer: new (settings: SherpaSettings) => {
    createStream(): SherpaStream
    decode(stream: SherpaStream): void
    getResult(stream: SherpaStream): unknown
  }
  readonly SpeakerEmbeddingExtractor: new (settings: SherpaSettings) => {
    createStream(): SherpaStream
    isReady(stream: SherpaStream): boolean
    compute(stream: SherpaStream, external: boolean): Float32Array
  }
  readonly OfflineSpeechDenoiser: new (settings: SherpaSettings) => { run(wave: object): unknown }
  readonly OfflineTts: new (settings: SherpaSettings) => { generate(request: object): unknown }
}

type RequestHandler = (question: SherpaRequest) => unknown

function loadModel({ engine, kind: part, settings }: SherpaLoadRequest): RequestHandler {
  const sherpa = createRequire(join(engine, 'engine.cjs'))('sherpa-onnx-node') as SherpaModule
  switch (part) {
    case 'recogniser':
      return recogniserHandler(new sherpa.OfflineRecognizer(settings))
    case 'embedding':
      return embeddingHandler(new sherpa.SpeakerEmbeddingExtractor(settings))
    case 'denoiser': {
      const denoiser = new sherpa.OfflineSpeechDenoiser(settings)
      return ({ samples, rate }) => denoiser.run({ samples, sampleRate: rate, enableExternalBuffer: false })
    }
    case 'voice':
      return voiceHandler(new sherpa.OfflineTts(settings))
    default:
      throw new TypeError('unknown kind of model')
  }
}

function recogniserHandler(recogniser: InstanceType<SherpaModule['OfflineRecognizer']>): RequestHandler {
  return ({ samples, rate }) => {
    const stream = recogniser.createStream()
    stream.acceptWaveform({ samples, sampleRate: rate })
    recogniser.decode(stream)
    return recogniser.getResult(stream)
  }
}

function embeddingHandler(
  extractor: InstanceType<SherpaModule['SpeakerEmbeddingExtractor']>,
): RequestHandler {
  return ({ samples, rate }) => {
    const stream = extractor.createStream()
    stream.acceptWaveform({ samples, sampleRate: rate })
    stream.inputFinished()
    return extractor.isReady(stream) ? extractor.compute(stream, false) : null
  }
}

function voiceHandler(voice: InstanceType<SherpaModule['OfflineTts']>): RequestHandler {
  return ({ samples, rate, speak: say }) =>
    voice.generate({
      text: say?.text ?? '',
      enableExternalBuffer: false,
      generationConfig: {
        speed: say?.speed ?? 1,
        // The distilled model was trained for 4 steps.
        numSteps: 4,
        referenceAudio: samples,
        referenceSampleRate: rate,
        referenceText: say?.reference ?? '',
      },
    })
}

let handler: RequestHandler | undefined

function handleMessage(message: SherpaLoadRequest | SherpaRequest): unknown {
  if ('kind' in message) {
    handler = loadModel(message)
    return null
  }
  return handler?.(message)
}

process.on('message', (message: SherpaLoadRequest | SherpaRequest) => {
  let reply: SherpaReply
  try {
    reply = { result: handleMessage(message) }
  } catch (error) {
    reply = { error: String(error) }
  }
  process.send?.(reply)
})
// The parent process has ended.
process.on('disconnect', () => process.exit())
