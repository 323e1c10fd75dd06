import { Provider } from "oidc-provider";
import { type ConfigParts, configureProvider } from "./config.ts";

/** Makes the library's server, which writes nothing to the console and takes its addresses from headers of ours. */
export function openProvider(parts: ConfigParts): Provider {
  const provider = new Provider(parts.base_url, configureProvider(parts));
  provider.silent = true;
  provider.proxy = true;
  return provider;
}
