/** An authenticator in software (WebAuthn §6), which also signs what a browser would refuse to sign. */
import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";

/** The members of the options that an authenticator reads. */
interface Options {
  readonly challenge: string;
  readonly rp?: { readonly id: string };
  readonly rpId?: string;
}

interface Ceremony {
  readonly origin: string;
  /** The site that the authenticator signs for; by default that of the options. */
  readonly rp_id?: string;
  /** Whether the person was verified, such as by a fingerprint. */
  readonly is_verified?: boolean;
}

const [PRESENT, VERIFIED, HAS_CREDENTIAL] = [0x01, 0x04, 0x40];

/** Holds a single passkey, and counts its uses. */
export class SoftwareAuthenticator {
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly id = randomBytes(16);
  counter = 0;

  /** Answers `navigator.credentials.create`, as JSON. */
  create(options: object, ceremony: Ceremony): string {
    const { challenge, rp } = options as Options;
    const { x = "", y = "" } = this.#keys.publicKey.export({ format: "jwk" });
    const key = [
      cbor("a5010203262001215820"),
      Buffer.from(x, "base64url"),
      cbor("225820"),
      Buffer.from(y, "base64url"),
    ];
    const length = Buffer.from([0, this.id.length]);
    const data = this.#data(rp?.id, ceremony, [Buffer.alloc(16), length, this.id, ...key]);
    // { fmt: "none", attStmt: {}, authData }
    const head = cbor("a363666d74646e6f6e656761747453746d74a06861757468446174615900");
    const attestation = Buffer.concat([head, Buffer.from([data.length]), data]);
    return this.#answer({
      clientDataJSON: writeClientData("webauthn.create", challenge, ceremony.origin).toString("base64url"),
      attestationObject: attestation.toString("base64url"),
    });
  }

  /** Answers `navigator.credentials.get`, as JSON. */
  get(options: object, ceremony: Ceremony): string {
    const { challenge, rpId } = options as Options;
    this.counter += 1;
    const data = this.#data(rpId, ceremony, []);
    const client = writeClientData("webauthn.get", challenge, ceremony.origin);
    const signed = Buffer.concat([data, createHash("sha256").update(client).digest()]);
    return this.#answer({
      clientDataJSON: client.toString("base64url"),
      authenticatorData: data.toString("base64url"),
      signature: createSign("sha256").update(signed).sign(this.#keys.privateKey).toString("base64url"),
    });
  }

  #data(rpId = "", { rp_id = rpId, is_verified = true }: Ceremony, credential: readonly Buffer[]): Buffer {
    const flags = PRESENT | (is_verified ? VERIFIED : 0) | (credential.length > 0 ? HAS_CREDENTIAL : 0);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([
      createHash("sha256").update(rp_id).digest(),
      Buffer.from([flags]),
      counter,
      ...credential,
    ]);
  }

  #answer(response: object): string {
    const id = this.id.toString("base64url");
    return JSON.stringify({ id, rawId: id, type: "public-key", clientExtensionResults: {}, response });
  }
}

function writeClientData(type: string, challenge: string, origin: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

function cbor(hex: string): Buffer {
  return Buffer.from(hex, "hex");
}
