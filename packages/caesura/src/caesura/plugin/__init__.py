"""What the plugins share: settings, sentences, embedding sessions, merging into parents."""
